import Link from "next/link";
import type { ComponentProps } from "react";

const looks = {
  primary: "bg-primary text-on-primary hover:bg-primary-hover",
  secondary: "border border-line bg-surface text-ink hover:bg-sunken",
  quiet: "text-muted hover:bg-sunken hover:text-ink",
  danger: "bg-danger text-on-danger hover:bg-danger-hover",
} as const;

export type ButtonLook = keyof typeof looks;

export function buttonClass(look: ButtonLook = "primary", extra = ""): string {
  return `inline-flex h-9 shrink-0 items-center justify-center gap-2 whitespace-nowrap rounded-lg px-3.5 font-medium text-sm transition-colors disabled:opacity-60 ${looks[look]} ${extra}`;
}

export function Button({ look, className, type = "button", ...rest }: ComponentProps<"button"> & { look?: ButtonLook }) {
  return <button type={type} className={buttonClass(look, className)} {...rest} />;
}

export function ButtonLink({ look, className, ...rest }: ComponentProps<typeof Link> & { look?: ButtonLook }) {
  return <Link className={buttonClass(look, className)} {...rest} />;
}
