"use client";

import { type ReactNode, useEffect, useRef } from "react";

let awaited: { path?: string } | null = null;

/**
 * Call it before another page opens by itself. The pressed button leaves the page and takes the
 * focus with it, so the next page's heading gets it.
 * @param path the path that the next page must have
 */
export function focusNextHeading(path?: string): void {
  awaited = { path };
}

type Props = { level: "h1" | "h2"; dir?: "auto"; className: string; children: ReactNode };

/** The heading of what a page shows. */
export function ArrivalHeading({ level: Level, children, ...rest }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!awaited) return;
    const { path = location.pathname } = awaited;
    awaited = null;
    if (location.pathname !== path) return;
    // Not if the user has moved on in the meantime, for example to the search box.
    if (document.activeElement === document.body) heading.current?.focus();
  }, []);
  return (
    <Level ref={heading} tabIndex={-1} {...rest}>
      {children}
    </Level>
  );
}
