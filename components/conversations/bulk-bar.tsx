"use client";

import { Check, Tag, UserRound, X } from "lucide-react";
import { useState, useTransition } from "react";
import { Button, buttonClass } from "@/components/ui/button";
import { Menu, MenuButton } from "@/components/ui/menu";
import { toast } from "@/components/ui/toast";
import type { BulkChange, ChangeConversations, UndoConversations } from "./action-types";

type BulkBarProps = {
  selected: string[];
  members: { id: string; name: string }[];
  change: ChangeConversations;
  undo: UndoConversations;
  clear: () => void;
};

/** What can be done with the selected conversations. Each change can be undone. */
export function BulkBar({ selected, members, change, undo, clear }: BulkBarProps) {
  const [isPending, startTransition] = useTransition();

  function apply(input: BulkChange) {
    startTransition(async () => {
      const result = await change(selected, input);
      if (result.outcome === "refused") return void toast.error(result.message);
      clear();
      const { changed, skipped } = result.value;
      const done = `${conversations(changed.length)} updated.`;
      toast.success(skipped > 0 ? `${done} ${skipped} could not be changed.` : done, {
        duration: 10_000,
        ...(changed.length > 0 && {
          action: {
            label: "Undo",
            onClick: () => {
              undo(changed).then(
                (undone) =>
                  undone.outcome === "done"
                    ? toast.success("Change undone.")
                    : toast.error(undone.message),
                () => toast.error("The response was lost. Check the conversations."),
              );
            },
          },
        }),
      });
    });
  }

  return (
    <div className="sticky top-0 z-1 flex flex-wrap items-center gap-1 border-line border-b bg-surface px-2 py-1.5">
      <span role="status" className="mr-auto whitespace-nowrap pl-1 text-xs">
        {selected.length} selected
      </span>
      <Button
        variant="secondary"
        size="small"
        disabled={isPending}
        onClick={() => apply({ status: "RESOLVED" })}
      >
        <Check className="size-4" aria-hidden="true" />
        Resolve
      </Button>
      <Menu
        label="Assign"
        className={buttonClass({ variant: "secondary", size: "small" })}
        trigger={<UserRound className="size-4" aria-hidden="true" />}
      >
        <MenuButton onClick={() => apply({ assigneeId: null })}>No one</MenuButton>
        {members.map(({ id, name }) => (
          <MenuButton key={id} onClick={() => apply({ assigneeId: id })}>
            {name}
          </MenuButton>
        ))}
      </Menu>
      <TagMenu add={(tag) => apply({ addTag: tag })} />
      <Button variant="quiet" size="small" aria-label="Clear the selection" onClick={clear}>
        <X className="size-4" aria-hidden="true" />
      </Button>
    </div>
  );
}

const conversations = (count: number) =>
  count === 1 ? "1 conversation" : `${count} conversations`;

function TagMenu({ add }: { add: (tag: string) => void }) {
  const [tag, setTag] = useState("");
  return (
    <Menu
      label="Add a tag"
      className={buttonClass({ variant: "secondary", size: "small" })}
      trigger={<Tag className="size-4" aria-hidden="true" />}
    >
      <div className="flex gap-1 p-1">
        <input
          aria-label="Tag"
          dir="auto"
          value={tag}
          maxLength={50}
          onChange={(event) => setTag(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter") return;
            event.preventDefault();
            event.currentTarget.closest("div")?.querySelector("button")?.click();
          }}
          className="h-8 w-40 rounded-lg border border-line-strong bg-surface px-2.5"
        />
        <Button
          size="small"
          onClick={() => {
            if (tag.trim()) add(tag.trim());
            setTag("");
          }}
        >
          Add tag
        </Button>
      </div>
    </Menu>
  );
}
