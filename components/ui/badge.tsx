import type { ReactNode } from "react";

const looks = {
  good: "bg-good-soft text-good",
  warn: "bg-warn-soft text-warn",
  danger: "bg-danger-soft text-danger",
  accent: "bg-accent-soft text-accent",
  plain: "bg-sunken text-muted",
} as const;

export type BadgeLook = keyof typeof looks;

export function Badge({ look = "plain", children }: { look?: BadgeLook; children: ReactNode }) {
  return (
    <span
      className={`inline-flex items-center whitespace-nowrap rounded-full px-2 py-0.5 font-medium text-xs ${looks[look]}`}
    >
      {children}
    </span>
  );
}
