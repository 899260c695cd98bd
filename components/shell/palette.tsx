"use client";

import { BookOpen, CornerDownLeft, FlaskConical } from "lucide-react";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { CommandItem, CommandPalette } from "@/components/ui/command-palette";
import { dashboardNavigation } from "./navigation";

/** An ID as pasted from a log: a prefix and 26 characters. */
const idPattern = /^[a-z]{2,4}_[0-9A-HJKMNP-TV-Z]{26}$/;

const pagesOfDocs = [
  { name: "Documentation", href: "/docs" },
  { name: "API reference", href: "/docs/reference" },
  { name: "Errors", href: "/docs/errors" },
  { name: "Event catalog", href: "/docs/events" },
];

type PaletteProps = { base: string; isOpen: boolean; onOpenChange: (isOpen: boolean) => void };

/** Goes to any page by its name and to any object by its ID. */
export function Palette({ base, isOpen, onOpenChange }: PaletteProps) {
  const router = useRouter();
  const [text, setText] = useState("");
  const id = text.trim();
  const [, tenant = "", environment = ""] = base.split("/");
  const other = environment === "test" ? "live" : "test";

  function go(href: string) {
    onOpenChange(false);
    setText("");
    router.push(href);
  }

  return (
    <CommandPalette
      label="Go to a page or ID"
      placeholder="Page name or ID, such as cnv_…"
      empty="No matching page. To open an object, enter its full ID."
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
      <CommandItem
        value={`Switch to ${other}`}
        onSelect={() => go(`/${tenant}/${other}`)}
        icon={<FlaskConical className="size-4" aria-hidden="true" />}
      >
        Switch to {other}
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
    </CommandPalette>
  );
}
