import type { ReactNode } from "react";

const variants = {
  danger: "border-danger/40 bg-danger-soft text-danger",
  warn: "border-warn/40 bg-warn-soft text-warn",
} as const;

/**
 * A message about something that just happened, which screen readers announce immediately, or a
 * `note`, which is shown as long as it applies.
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
