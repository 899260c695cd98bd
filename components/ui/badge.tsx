"use client";

import type { ReactNode } from "react";

const variants = {
  good: "bg-good-soft text-good",
  warn: "bg-warn-soft text-warn",
  danger: "bg-danger-soft text-danger",
  accent: "bg-accent-soft text-accent",
  plain: "bg-sunken text-muted",
} as const;

export type BadgeVariant = keyof typeof variants;

export function Badge({
  variant = "plain",
  children,
}: {
  variant?: BadgeVariant;
  children: ReactNode;
}) {
  return (
    <span
      className={`inline-flex items-center whitespace-nowrap rounded-full px-2 py-0.5 font-medium text-xs ${variants[variant]}`}
    >
      {children}
    </span>
  );
}
