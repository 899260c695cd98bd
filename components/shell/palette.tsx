"use client";

import {
  BookOpen,
  CornerDownLeft,
  FlaskConical,
  Plus,
  Search,
  Settings,
  SunMoon,
} from "lucide-react";
import { usePathname, useRouter } from "next/navigation";
import { useEffect, useEffectEvent, useState } from "react";
import { CommandItem, CommandPalette } from "@/components/ui/command-palette";
import { leaveSafely } from "@/components/ui/leave-safely";
import { toggleTheme } from "@/components/ui/theme";
import { hasRole } from "@/lib/platform/roles";
import type { Role } from "@/prisma/generated/enums";
import { pathInEnvironment } from "./environment-switch";
import type { FindObjects, FoundObject } from "./find-objects";
import { dashboardNavigation, settingsPagesFor } from "./navigation";

/** An ID as pasted from a log: a prefix and 26 characters. */
const idPattern = /^[a-z]{2,4}_[0-9A-HJKMNP-TV-Z]{26}$/;

const pagesOfDocs = [
  { name: "Documentation", href: "/docs" },
  { name: "API reference", href: "/docs/reference" },
  { name: "Errors", href: "/docs/errors" },
  { name: "Event catalog", href: "/docs/events" },
];

/** For admins. */
const creations = [
  { name: "Create API key", path: "api-keys?create=1" },
  { name: "Create webhook", path: "webhooks/new" },
];

/** Waits until the user stops typing. */
const typingMs = 200;
const shortestSearch = 2;

type PaletteProps = {
  base: string;
  /** Pages and actions that it does not allow are not listed. */
  role: Role;
  find: FindObjects;
  isOpen: boolean;
  onOpenChange: (isOpen: boolean) => void;
};

/** Goes to any page by its name, to any object by its name, URL or ID, and runs actions. */
export function Palette({ base, role, find, isOpen, onOpenChange }: PaletteProps) {
  const router = useRouter();
  const path = usePathname();
  const [text, setText] = useState("");
  const { found, isSearching } = useFoundObjects(text.trim(), find);
  const id = text.trim();
  const [, , environment = ""] = base.split("/");
  const other = environment === "test" ? "live" : "test";

  function close() {
    onOpenChange(false);
    setText("");
  }

  function go(href: string) {
    close();
    leaveSafely(() => router.push(href));
  }

  return (
    <CommandPalette
      label="Search, or go to a page"
      placeholder="Page, action, name, URL or ID"
      empty={isSearching ? "Searching…" : "No matches. To open an object, enter its full ID."}
      text={text}
      onTextChange={setText}
      isOpen={isOpen}
      onOpenChange={onOpenChange}
    >
      {idPattern.test(id) ? (
        <CommandItem
          value={id}
          onSelect={() => go(`${base}/go/${id}`)}
          icon={<CornerDownLeft className="size-4" aria-hidden="true" />}
        >
          Open <code className="font-mono text-xs">{id}</code>
        </CommandItem>
      ) : null}
      {dashboardNavigation.flatMap(({ items }) =>
        items.map(({ path, name, Icon }) => (
          <CommandItem
            key={path}
            value={name}
            onSelect={() => go(path ? `${base}/${path}` : base)}
            icon={<Icon className="size-4" aria-hidden="true" />}
          >
            {name}
          </CommandItem>
        )),
      )}
      {settingsPagesFor(role)
        .slice(1)
        .map(({ path, name }) => (
          <CommandItem
            key={path}
            value={`${name} settings`}
            onSelect={() => go(`${base}/${path}`)}
            icon={<Settings className="size-4" aria-hidden="true" />}
          >
            {name} <span className="text-muted text-xs">Settings</span>
          </CommandItem>
        ))}
      {(hasRole(role, "ADMIN") ? creations : []).map(({ name, path }) => (
        <CommandItem
          key={name}
          value={name}
          onSelect={() => go(`${base}/${path}`)}
          icon={<Plus className="size-4" aria-hidden="true" />}
        >
          {name}
        </CommandItem>
      ))}
      <CommandItem
        value={`Switch to ${other}`}
        onSelect={() => go(pathInEnvironment(path, other))}
        icon={<FlaskConical className="size-4" aria-hidden="true" />}
      >
        Switch to {other}
      </CommandItem>
      <CommandItem
        value="Toggle theme light dark"
        onSelect={() => {
          close();
          toggleTheme();
        }}
        icon={<SunMoon className="size-4" aria-hidden="true" />}
      >
        Toggle theme
      </CommandItem>
      {pagesOfDocs.map(({ name, href }) => (
        <CommandItem
          key={href}
          value={name}
          onSelect={() => go(href)}
          icon={<BookOpen className="size-4" aria-hidden="true" />}
        >
          {name}
        </CommandItem>
      ))}
      {found.map((object) => (
        <CommandItem
          key={object.id}
          // The server found it for this text, which its name need not contain.
          value={`${object.kind} ${object.name} ${text} ${object.id}`}
          onSelect={() => go(`${base}/${object.path}`)}
          icon={<Search className="size-4 shrink-0" aria-hidden="true" />}
        >
          <span dir="auto" className="block truncate">
            {object.name}
          </span>
          <span className="block truncate text-muted text-xs">
            {object.kind}
            {object.detail ? (
              <>
                {" "}
                · <bdi>{object.detail}</bdi>
              </>
            ) : null}
          </span>
        </CommandItem>
      ))}
    </CommandPalette>
  );
}

/** What the server finds for the text, once the user stops typing. */
function useFoundObjects(q: string, find: FindObjects) {
  const [result, setResult] = useState<{ q: string; found: FoundObject[] }>({ q: "", found: [] });
  const isWanted = q.length >= shortestSearch && !idPattern.test(q);
  // Each refresh of the page passes another function. That alone must not start a new search.
  const findNow = useEffectEvent(find);

  useEffect(() => {
    if (!isWanted) return;
    let isOutdated = false;
    const timer = setTimeout(async () => {
      const found = await findNow(q).then(
        (response) => (response.outcome === "done" ? response.value : []),
        () => [],
      );
      if (!isOutdated) setResult({ q, found });
    }, typingMs);
    return () => {
      isOutdated = true;
      clearTimeout(timer);
    };
  }, [q, isWanted]);

  return {
    found: isWanted && result.q === q ? result.found : [],
    isSearching: isWanted && result.q !== q,
  };
}
