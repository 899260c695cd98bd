"use client";

import { Keyboard } from "lucide-react";
import dynamic from "next/dynamic";
import { usePathname } from "next/navigation";
import { useEffect, useRef, useState } from "react";
import { Button } from "./button";

// Loaded when it first opens, and stays to close with its transition.
const ShortcutsDialog = dynamic(
  () => import("./shortcuts-dialog").then((module) => module.ShortcutsDialog),
  { ssr: false },
);

export type Shortcut = { keys: string; does: string };

const preference = "shortcuts";

/**
 * Single-key shortcuts: j and k follow the next and the previous link with `data-item`, ? opens this
 * list, and any other key clicks the element that names it in `aria-keyshortcuts`, or puts the
 * cursor in it if it is an input. They are inactive
 * in text fields, dialogs and menus, and can be turned off by users whose keyboard or voice control
 * sends keys by accident.
 */
export function Shortcuts({ shortcuts }: { shortcuts: Shortcut[] }) {
  const path = usePathname();
  const [isOpen, setIsOpen] = useState(false);
  const [wasOpened, setWasOpened] = useState(false);
  const [isOn, setIsOn] = useState(true);
  // The target of j and k while its page is still loading, so that pressing twice moves by two.
  const target = useRef<{ path: string; href: string }>(undefined);
  // The position of the open item in the list. It may have left the list since.
  const place = useRef(-1);

  useEffect(() => setIsOn(localStorage.getItem(preference) !== "off"), []);

  useEffect(() => {
    const items = [...document.querySelectorAll<HTMLAnchorElement>("a[data-item]")];
    const index = items.findIndex((item) => item.getAttribute("aria-current") === "page");
    if (index >= 0) place.current = index;
  });

  useEffect(() => {
    function step(direction: 1 | -1) {
      const items = [...document.querySelectorAll<HTMLAnchorElement>("a[data-item]")];
      const ahead = target.current?.path === path ? target.current.href : undefined;
      const index = items.findIndex((item) =>
        ahead ? item.href === ahead : item.getAttribute("aria-current") === "page",
      );
      const next =
        index >= 0
          ? items[index + direction]
          : items[Math.max(0, direction === 1 ? place.current : place.current - 1)];
      if (!next) return;
      target.current = { path, href: next.href };
      next.scrollIntoView({ block: "nearest" });
      next.click();
    }

    function onKey(event: KeyboardEvent) {
      if (
        event.defaultPrevented ||
        event.ctrlKey ||
        event.metaKey ||
        event.altKey ||
        event.isComposing
      )
        return;
      if ((event.target as HTMLElement).closest?.("input, textarea, select, [contenteditable]"))
        return;
      if (document.querySelector(':popover-open, [role="dialog"], [role="alertdialog"]')) return;
      if (event.key === "?") {
        setWasOpened(true);
        setIsOpen(true);
      } else if (!isOn) return;
      else if (event.key === "j") step(1);
      else if (event.key === "k") step(-1);
      else {
        const pressed =
          /^[a-z/]$/.test(event.key) &&
          document.querySelector<HTMLElement>(`[aria-keyshortcuts="${event.key}"]`);
        if (!pressed) return;
        if (pressed instanceof HTMLInputElement) pressed.select();
        else pressed.click();
      }
      event.preventDefault();
    }
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, [path, isOn]);

  function open() {
    setWasOpened(true);
    setIsOpen(true);
  }

  function turn(on: boolean) {
    setIsOn(on);
    localStorage.setItem(preference, on ? "on" : "off");
  }

  return (
    <>
      <Button
        variant="quiet"
        size="icon"
        aria-label="Keyboard shortcuts"
        aria-keyshortcuts="?"
        onClick={open}
      >
        <Keyboard className="size-4" aria-hidden="true" />
      </Button>
      {wasOpened ? (
        <ShortcutsDialog
          shortcuts={shortcuts}
          isOpen={isOpen}
          onOpenChange={setIsOpen}
          isOn={isOn}
          turn={turn}
        />
      ) : null}
    </>
  );
}
