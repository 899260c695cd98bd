"use client";

import { Check, ChevronDown } from "lucide-react";
import { useRouter } from "next/navigation";
import { useState, useTransition } from "react";
import { toast } from "sonner";
import { EnvironmentName } from "@/components/shell/environment-name";
import { Button, buttonClass } from "@/components/ui/button";
import { Dialog, DialogButtons, DialogContent } from "@/components/ui/dialog";
import { Menu, MenuButton, MenuSeparator } from "@/components/ui/menu";
import { Notice } from "@/components/ui/notice";
import type { ConversationStatus } from "@/lib/conversations/schema";
import type { Environment } from "@/prisma/generated/enums";
import type { ConversationPatch, UpdateConversationAction } from "./action-types";
import { statusLabels } from "./labels";
import { SnoozeDialog } from "./snooze-dialog";

type StatusActionsProps = {
  status: ConversationStatus;
  /** The statuses that it can change to. Only these are offered. */
  allowed: readonly ConversationStatus[];
  environment: Environment;
  update: UpdateConversationAction;
};

const verbs: Record<ConversationStatus, string> = {
  OPEN: "Reopen",
  PENDING: "Set to pending",
  SNOOZED: "Snooze…",
  RESOLVED: "Resolve",
  CLOSED: "Close…",
};

/**
 * The status changes of a conversation. If another user made one impossible in the meantime, shows
 * why.
 */
export function StatusActions({ status, allowed, environment, update }: StatusActionsProps) {
  const router = useRouter();
  const [asks, setAsks] = useState<"snooze" | "close" | null>(null);
  const [refusal, setRefusal] = useState<string>();
  const [isPending, startTransition] = useTransition();

  function move(patch: ConversationPatch & { status: ConversationStatus }) {
    startTransition(async () => {
      const result = await update(patch);
      setAsks(null);
      setRefusal(result.outcome === "refused" ? result.message : undefined);
      if (result.outcome === "refused") return router.refresh();
      toast.success(`${statusLabels[patch.status]}.`);
    });
  }

  function choose(to: ConversationStatus) {
    if (to === "SNOOZED") setAsks("snooze");
    else if (to === "CLOSED") setAsks("close");
    else move({ status: to });
  }

  if (allowed.length === 0) return refusal ? <Notice>{refusal}</Notice> : null;

  const offered = status === "SNOOZED" ? [...allowed, status] : allowed;
  return (
    <>
      <div className="flex items-center gap-2">
        {allowed.includes("RESOLVED") ? (
          <Button
            variant="secondary"
            size="small"
            aria-keyshortcuts="e"
            disabled={isPending}
            onClick={() => move({ status: "RESOLVED" })}
          >
            <Check className="size-4" aria-hidden="true" />
            Resolve
          </Button>
        ) : (
          <Button
            variant="secondary"
            size="small"
            disabled={isPending}
            onClick={() => move({ status: "OPEN" })}
          >
            {verbs.OPEN}
          </Button>
        )}
        <Menu
          label="Change the status"
          className={buttonClass({ variant: "secondary", size: "small" })}
          trigger={<ChevronDown className="size-4" aria-hidden="true" />}
        >
          {offered
            .filter((to) => to !== "CLOSED")
            .map((to) => (
              <MenuButton key={to} onClick={() => choose(to)}>
                {to === status ? "Snooze until another time…" : verbs[to]}
              </MenuButton>
            ))}
          <MenuSeparator />
          <MenuButton variant="danger" onClick={() => choose("CLOSED")}>
            {verbs.CLOSED}
          </MenuButton>
        </Menu>
      </div>
      {refusal ? <Notice>{refusal}</Notice> : null}
      <SnoozeDialog
        isOpen={asks === "snooze"}
        isPending={isPending}
        environment={environment}
        onOpenChange={(open) => setAsks(open ? "snooze" : null)}
        snooze={(until) => move({ status: "SNOOZED", snoozedUntil: until.toISOString() })}
      />
      <Dialog open={asks === "close"} onOpenChange={(open) => setAsks(open ? "close" : null)}>
        <DialogContent
          role="alertdialog"
          title="Close this conversation?"
          description={
            <>
              It is a conversation in <EnvironmentName environment={environment} />.
            </>
          }
        >
          <p className="mb-5">
            Closing is final: no one can write in it or reopen it. The only exception is a message
            from a program that asks for it. A customer who returns starts a new conversation. To
            continue later, resolve it instead.
          </p>
          <DialogButtons cancel="Keep it">
            <Button
              variant="danger"
              onClick={() => move({ status: "CLOSED" })}
              disabled={isPending}
            >
              {isPending ? "Closing…" : "Close conversation"}
            </Button>
          </DialogButtons>
        </DialogContent>
      </Dialog>
    </>
  );
}
