import type { Environment } from "@/prisma/generated/enums";

export const environmentNames: Record<Environment, string> = { live: "Live", test: "Test" };

/** The environment by name and shape, never by color alone. */
export function EnvironmentName({ environment }: { environment: Environment }) {
  const colors = environment === "test" ? "bg-test text-on-test" : "bg-primary text-on-primary";
  return (
    <span
      className={`inline-flex rounded px-1.5 py-0.5 font-semibold text-xs uppercase leading-none tracking-wide ${colors}`}
    >
      {environment}
    </span>
  );
}
