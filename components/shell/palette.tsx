"use client";

import { Dialog as Base } from "@base-ui/react/dialog";
import { Command } from "cmdk";
import { BookOpen, CornerDownLeft, FlaskConical } from "lucide-react";
import { useRouter } from "next/navigation";
import { type ReactNode, useState } from "react";
import { dashboardPlaces } from "./places";

/** An id as it is pasted from a log: a prefix and 26 characters. */
const idPattern = /^[a-z]{2,4}_[0-9A-HJKMNP-TV-Z]{26}$/;

const pagesOfDocs = [
  { name: "Documentation", href: "/docs" },
  { name: "API reference", href: "/docs/reference" },
  { name: "Errors", href: "/docs/errors" },
  { name: "Event catalogue", href: "/docs/events" },
];

type PaletteProps = { base: string; isOpen: boolean; onOpenChange: (isOpen: boolean) => void };

/** Jumps to any page by its name, and to anything by its id. */
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
    <Base.Root open={isOpen} onOpenChange={onOpenChange}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-20 bg-[#000000]/45" />
        <Base.Popup className="fixed top-[15dvh] left-1/2 z-20 w-[calc(100vw-1.5rem)] max-w-lg -translate-x-1/2 overflow-hidden rounded-2xl border border-line bg-surface text-ink shadow-xl">
          <Base.Title className="sr-only">Go to a page or an id</Base.Title>
          <Command label="Go to a page or an id" loop>
            <Command.Input
              value={text}
              onValueChange={setText}
              placeholder="A page, or an id such as cnv_…"
              className="h-12 w-full border-line border-b bg-transparent px-4 text-base outline-none placeholder:text-muted"
            />
            <Command.List className="max-h-[50dvh] overflow-y-auto p-2">
              <Command.Empty className="px-3 py-6 text-center text-muted">No page of that name. An id has to be whole.</Command.Empty>
              {idPattern.test(id) ? (
                <Item value={id} onSelect={() => go(`${base}/go/${id}`)} icon={<CornerDownLeft className="size-4" aria-hidden="true" />}>
                  Open <code className="font-mono text-xs">{id}</code>
                </Item>
              ) : null}
              {dashboardPlaces.flatMap(({ places }) =>
                places.map(({ path, name, Icon }) => (
                  <Item
                    key={path}
                    value={name}
                    onSelect={() => go(path ? `${base}/${path}` : base)}
                    icon={<Icon className="size-4" aria-hidden="true" />}
                  >
                    {name}
                  </Item>
                )),
              )}
              <Item
                value={`Switch to ${other}`}
                onSelect={() => go(`/${tenant}/${other}`)}
                icon={<FlaskConical className="size-4" aria-hidden="true" />}
              >
                Switch to {other}
              </Item>
              {pagesOfDocs.map(({ name, href }) => (
                <Item key={href} value={name} onSelect={() => go(href)} icon={<BookOpen className="size-4" aria-hidden="true" />}>
                  {name}
                </Item>
              ))}
            </Command.List>
          </Command>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

function Item({ value, onSelect, icon, children }: { value: string; onSelect: () => void; icon: ReactNode; children: ReactNode }) {
  return (
    <Command.Item
      value={value}
      onSelect={onSelect}
      className="flex h-9 cursor-pointer items-center gap-2.5 rounded-lg px-3 text-muted data-[selected=true]:bg-sunken data-[selected=true]:text-ink"
    >
      {icon}
      <span>{children}</span>
    </Command.Item>
  );
}
