"use client";

import { usePathname } from "next/navigation";
import { Link } from "@/components/ui/link";
import type { Environment } from "@/prisma/generated/enums";
import { environmentNames } from "./environment-name";

/** Whether a path segment is an ID, which exists in one environment only. */
const isId = (part: string) => /^[a-z]{2,4}_[0-9A-HJKMNP-TV-Z]{26}$/.test(part);

/** The same page in an environment, or the list if the page shows one object. */
export function pathInEnvironment(path: string, environment: Environment): string {
  const [, tenant = "", , ...parts] = path.split("/");
  const firstId = parts.findIndex(isId);
  const page = parts.slice(0, firstId === -1 ? undefined : firstId).join("/");
  return `/${tenant}/${environment}${page ? `/${page}` : ""}`;
}

/**
 * Links to the current page in each environment, or to the list if the current page shows one
 * object.
 */
export function EnvironmentSwitch({ current }: { current: Environment }) {
  const path = usePathname();
  return (
    <nav
      aria-label="Environment"
      className="grid grid-cols-2 rounded-lg border border-line bg-sunken p-0.5"
    >
      {(["test", "live"] as const).map((environment) => (
        <Link
          key={environment}
          href={pathInEnvironment(path, environment)}
          aria-current={environment === current ? "true" : undefined}
          className="flex h-7 items-center justify-center gap-1.5 rounded-md px-3 text-muted hover:text-ink aria-[current]:bg-surface aria-[current]:font-medium aria-[current]:text-ink aria-[current]:shadow-sm"
        >
          <span
            aria-hidden="true"
            className={`size-2 ${environment === "test" ? "rounded-sm bg-test" : "rounded-full bg-good"}`}
          />
          {environmentNames[environment]}
        </Link>
      ))}
    </nav>
  );
}
