import type { ReactNode } from "react";

const looks = {
  danger: "border-danger/40 bg-danger-soft text-danger",
  warn: "border-warn/40 bg-warn-soft text-warn",
} as const;

/** Something that has just happened: read out at once. */
export function Notice({ look = "danger", children }: { look?: keyof typeof looks; children: ReactNode }) {
  return (
    <div role="alert" className={`rounded-lg border px-3 py-2.5 ${looks[look]}`}>
      {children}
    </div>
  );
}
