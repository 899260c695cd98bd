import type { ComponentProps, MouseEvent } from "react";
import { Link } from "./link";

const variants = {
  primary: "bg-primary text-on-primary hover:bg-primary-hover",
  secondary: "border border-line bg-surface text-ink hover:bg-sunken",
  quiet: "text-muted hover:bg-sunken hover:text-ink",
  danger: "bg-danger text-on-danger hover:bg-danger-hover",
  "danger-quiet": "border border-line bg-surface text-danger hover:bg-danger-soft",
} as const;

const sizes = {
  normal: "h-9 px-3.5",
  small: "h-8 px-2.5",
  icon: "size-9",
  tiny: "size-6",
} as const;

export type ButtonVariant = keyof typeof variants;
type Appearance = { variant?: ButtonVariant; size?: keyof typeof sizes; className?: string };

export function buttonClass({
  variant = "primary",
  size = "normal",
  className = "",
}: Appearance = {}): string {
  return `inline-flex shrink-0 items-center justify-center gap-2 whitespace-nowrap rounded-lg font-medium text-sm transition-colors aria-disabled:cursor-default aria-disabled:opacity-60 print:hidden ${sizes[size]} ${variants[variant]} ${className}`;
}

/** Also keeps a submit button from sending its form. */
const ignorePress = (event: MouseEvent) => event.preventDefault();

/**
 * A disabled button keeps the focus, and ignores every press: browsers take the focus from one with
 * the attribute `disabled`, for example as soon as it starts to work.
 */
export function Button({
  variant,
  size,
  className,
  type = "button",
  disabled,
  ...rest
}: ComponentProps<"button"> & Appearance) {
  return (
    <button
      type={type}
      className={buttonClass({ variant, size, className })}
      {...rest}
      {...(disabled && { "aria-disabled": true, onClick: ignorePress })}
    />
  );
}

export function ButtonLink({
  variant,
  size,
  className,
  ...rest
}: ComponentProps<typeof Link> & Appearance) {
  return <Link className={buttonClass({ variant, size, className })} {...rest} />;
}
