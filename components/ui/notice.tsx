import type { ReactNode } from "react";

const variants = {
  danger: "border-danger/40 bg-danger-soft text-danger",
  warn: "border-warn/40 bg-warn-soft text-warn",
} as const;

/**
 * Something that has just happened, and is read out at once; or a `note`, that stands there as long
 * as it is true.
 */
export function Notice({
  variant = "danger",
  role = "alert",
  children,
}: {
  variant?: keyof typeof variants;
  role?: "alert" | "note";
  children: ReactNode;
}) {
  return (
    <div role={role} className={`rounded-lg border px-3 py-2.5 ${variants[variant]}`}>
      {children}
    </div>
  );
}
