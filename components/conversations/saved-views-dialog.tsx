"use client";

import { Trash2 } from "lucide-react";
import { type FormEvent, useRef, useState } from "react";
import { Button } from "@/components/ui/button";
import { Dialog, DialogButtons, DialogContent } from "@/components/ui/dialog";
import { TextField } from "@/components/ui/field";
import { RefusalNotice } from "@/components/ui/refusal-notice";
import { toast } from "@/components/ui/toast";
import { useDialogState } from "@/components/ui/use-dialog-state";
import { useFieldErrors } from "@/components/ui/use-field-errors";
import type { ActionResult, Refusal } from "@/lib/platform/action-result";

type View = {
  userId: string;
  name: string;
  query: string;
  isShared: boolean;
  isOwn: boolean;
  canDelete: boolean;
};

type SavedViewsDialogProps = {
  /** The filters of the list, as the query of its URL. Empty if there are none. */
  current: string;
  views: View[];
  /** Whether the role allows sharing views. */
  canShare: boolean;
  save: (view: { name: string; query: string; isShared: boolean }) => Promise<ActionResult>;
  remove: (view: { userId: string; name: string }) => Promise<ActionResult>;
  onClosed: () => void;
};

const keyOf = ({ userId, name }: View) => `${userId} ${name}`;

/** Saves the filters of the list under a name, and lists the saved views. */
export function SavedViewsDialog({
  current,
  views,
  canShare,
  save,
  remove,
  onClosed,
}: SavedViewsDialogProps) {
  const [refused, setRefused] = useState<Refusal | null>(null);
  // By key, because the page brings new objects when it refreshes.
  const [asked, setAsked] = useState<string | null>(null);
  const [spared, setSpared] = useState<string | null>(null);
  const list = useRef<HTMLUListElement>(null);
  const { dialog, close, isPending, startTransition, onInput, discardQuestion } = useDialogState({
    onClosed,
  });
  const { errors, correctEdited } = useFieldErrors(refused);

  function onEdit(event: FormEvent<HTMLFormElement>) {
    onInput();
    correctEdited(event);
  }

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const name = String(form.get("name")).trim();
    startTransition(async () => {
      const result = await save({
        name,
        query: current,
        isShared: form.get("isShared") !== null,
      });
      if (result.outcome === "refused") return setRefused(result);
      close();
      toast.success("View saved.");
    });
  }

  function removeView(view: View) {
    const { userId, name, isShared } = view;
    // Others would lose it, too.
    if (isShared && asked !== keyOf(view)) return setAsked(keyOf(view));
    // The focused button disappears.
    list.current?.focus();
    setAsked(null);
    startTransition(async () => {
      const result = await remove({ userId, name });
      if (result.outcome === "refused") toast.error(result.message);
      else toast.success("View deleted.");
    });
  }

  return (
    <Dialog {...dialog}>
      <DialogContent
        title="Saved views"
        description="A view is a set of filters under a name. It appears above the list."
      >
        <form onSubmit={submit} onInput={onEdit} className="space-y-4">
          <RefusalNotice refused={refused} />
          {current === "" ? (
            <p>To save a view, first filter the list or choose a status.</p>
          ) : (
            <>
              <TextField
                label="Name"
                name="name"
                required
                maxLength={50}
                autoComplete="off"
                hint="Saves the current filters, status and sort order. A view of yours with this name is replaced."
                error={errors.name}
              />
              {canShare ? (
                <label className="flex items-center gap-2">
                  <input type="checkbox" name="isShared" />
                  Share with all members
                </label>
              ) : null}
            </>
          )}
          {views.length > 0 ? (
            <ul
              ref={list}
              tabIndex={-1}
              aria-label="Saved views"
              className="divide-y divide-line border-line border-y outline-none"
            >
              {views.map((view) => (
                <li key={keyOf(view)} className="flex items-center justify-between gap-3 py-1.5">
                  <span className="min-w-0 truncate">
                    <bdi>{view.name}</bdi>
                    {view.isShared ? (
                      <span className="text-muted">
                        {view.isOwn ? " · shared by you" : " · shared"}
                      </span>
                    ) : null}
                  </span>
                  {asked === keyOf(view) ? (
                    <span className="flex shrink-0 items-center gap-2">
                      <Button
                        variant="danger"
                        size="small"
                        autoFocus
                        aria-label={`Delete for everyone: ${view.name}`}
                        disabled={isPending}
                        onClick={() => removeView(view)}
                      >
                        Delete for everyone
                      </Button>
                      <Button
                        variant="quiet"
                        size="small"
                        aria-label={`Keep ${view.name}`}
                        onClick={() => {
                          setSpared(keyOf(view));
                          setAsked(null);
                        }}
                      >
                        Keep
                      </Button>
                    </span>
                  ) : view.canDelete ? (
                    <Button
                      variant="quiet"
                      size="icon"
                      aria-label={`Delete view ${view.name}`}
                      // The focus returns here from the question.
                      autoFocus={spared === keyOf(view)}
                      disabled={isPending}
                      onClick={() => removeView(view)}
                    >
                      <Trash2 className="size-4" aria-hidden="true" />
                    </Button>
                  ) : null}
                </li>
              ))}
            </ul>
          ) : null}
          <DialogButtons cancel={current === "" ? "Close" : "Cancel"}>
            {current === "" ? null : (
              <Button type="submit" disabled={isPending}>
                {isPending ? "Saving…" : "Save view"}
              </Button>
            )}
          </DialogButtons>
        </form>
        {discardQuestion}
      </DialogContent>
    </Dialog>
  );
}
