"use client";

import {
  type ComponentProps,
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  type ToggleEvent,
  useId,
  useRef,
} from "react";
import { Link } from "./link";

const itemClass =
  "flex w-full cursor-pointer items-center gap-2 rounded-md px-2.5 py-1.5 text-left hover:bg-sunken focus-visible:bg-sunken disabled:cursor-default disabled:opacity-60";

const margin = 8;

/**
 * A button that opens a list of actions. It uses the browser's popover, so it is above everything
 * else, and Escape or a click outside closes it. Opening it moves the focus to its first entry, and
 * the arrow keys move through them.
 */
export function Menu({
  trigger,
  label,
  className,
  children,
}: {
  trigger: ReactNode;
  label?: string;
  className: string;
  children: ReactNode;
}) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const opensAtEnd = useRef(false);

  /** Opens below its button, or above it if there is no space below. */
  function place({ newState }: ToggleEvent<HTMLDivElement>) {
    if (newState !== "open" || !button.current || !list.current) return;
    // The browser reports the opening a moment later. Someone may have chosen an entry by then.
    if (!list.current.contains(document.activeElement))
      itemsOf(list.current)
        .at(opensAtEnd.current ? -1 : 0)
        ?.focus();
    opensAtEnd.current = false;
    const { left, top, bottom } = button.current.getBoundingClientRect();
    const { offsetWidth, offsetHeight, style } = list.current;
    const isAbove =
      bottom + offsetHeight + margin > window.innerHeight && top > offsetHeight + margin;
    style.left = `${Math.max(margin, Math.min(left, window.innerWidth - offsetWidth - margin))}px`;
    style.top = `${isAbove ? top - offsetHeight - 4 : bottom + 4}px`;
  }

  function move(event: KeyboardEvent<HTMLDivElement>) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const items = itemsOf(event.currentTarget);
    const at = items.indexOf(document.activeElement as HTMLElement);
    items.at((at + step) % items.length)?.focus();
  }

  function open(event: KeyboardEvent<HTMLButtonElement>) {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    event.preventDefault();
    opensAtEnd.current = event.key === "ArrowUp";
    list.current?.showPopover();
  }

  function closeAfter({ target }: MouseEvent) {
    if ((target as Element).closest("a, button")) list.current?.hidePopover();
  }

  return (
    <>
      <button
        ref={button}
        type="button"
        popoverTarget={id}
        className={className}
        aria-label={label}
        onKeyDown={open}
      >
        {trigger}
      </button>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the links and buttons inside get the clicks and the focus. */}
      <div
        ref={list}
        id={id}
        popover="auto"
        onToggle={place}
        onKeyDown={move}
        onClick={closeAfter}
        className="fixed inset-auto m-0 max-h-[calc(100dvh-1rem)] min-w-52 max-w-[calc(100vw-1rem)] overflow-y-auto rounded-xl border border-line bg-surface p-1 text-ink shadow-lg"
      >
        {children}
      </div>
    </>
  );
}

const itemsOf = (list: HTMLElement) => [
  ...list.querySelectorAll<HTMLElement>("a, input, button:not(:disabled)"),
];

export function MenuLink(props: ComponentProps<typeof Link>) {
  return <Link className={itemClass} {...props} />;
}

export function MenuButton({
  variant,
  ...rest
}: ComponentProps<"button"> & { variant?: "danger" }) {
  return (
    <button
      type="button"
      className={`${itemClass} ${variant === "danger" ? "text-danger" : ""}`}
      {...rest}
    />
  );
}

export function MenuSeparator() {
  return <hr className="my-1 border-line" />;
}
