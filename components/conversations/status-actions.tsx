"use client";

import { Check, ChevronDown } from "lucide-react";
import dynamic from "next/dynamic";
import { useRouter } from "next/navigation";
import { useState, useTransition } from "react";
import { focusNextHeading } from "@/components/ui/arrival-heading";
import { Button, buttonClass } from "@/components/ui/button";
import { leaveSafely } from "@/components/ui/leave-safely";
import { Menu, MenuButton, MenuSeparator } from "@/components/ui/menu";
import { Notice } from "@/components/ui/notice";
import { toast } from "@/components/ui/toast";
import type { ConversationStatus } from "@/lib/conversations/schema";
import type { Environment } from "@/prisma/generated/enums";
import type { ConversationPatch, UpdateConversationAction } from "./action-types";
import { statusLabels } from "./labels";
import { patchesToUndoResolving } from "./undo-resolving";

const CloseDialog = dynamic(() => import("./close-dialog").then((module) => module.CloseDialog));
const SnoozeDialog = dynamic(() => import("./snooze-dialog").then((module) => module.SnoozeDialog));

type StatusActionsProps = {
  conversationId: string;
  status: ConversationStatus;
  snoozedUntil: string | null;
  /** The statuses that it can change to. Only these are offered. */
  allowed: readonly ConversationStatus[];
  environment: Environment;
  /** Opens after the conversation was resolved. */
  nextHref: string;
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
export function StatusActions({
  conversationId,
  status,
  snoozedUntil,
  allowed,
  environment,
  nextHref,
  update,
}: StatusActionsProps) {
  const router = useRouter();
  const [asks, setAsks] = useState<"snooze" | "close" | null>(null);
  // A dialog is loaded when it first opens, and stays to close with its transition.
  const [hasSnoozeDialog, setHasSnoozeDialog] = useState(false);
  const [hasCloseDialog, setHasCloseDialog] = useState(false);
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

  /** Resolves, and opens the next conversation. A toast there offers to undo it. */
  function resolve() {
    startTransition(async () => {
      const result = await update({ status: "RESOLVED" });
      setRefusal(result.outcome === "refused" ? result.message : undefined);
      if (result.outcome === "refused") return router.refresh();
      toast.success("Resolved.", { duration: 10_000, action: { label: "Undo", onClick: undo } });
      leaveSafely(() => {
        focusNextHeading();
        router.push(nextHref);
      });
    });
  }

  async function undo() {
    try {
      for (const patch of patchesToUndoResolving({ status, snoozedUntil })) {
        const result = await update(patch);
        if (result.outcome === "refused") return void toast.error(result.message);
      }
      toast.success(status === "OPEN" ? "Reopened." : `${statusLabels[status]} again.`);
    } catch {
      toast.error("The response was lost. Check the conversation.");
    }
  }

  function choose(to: ConversationStatus) {
    if (to === "SNOOZED") {
      setHasSnoozeDialog(true);
      setAsks("snooze");
    } else if (to === "CLOSED") {
      setHasCloseDialog(true);
      setAsks("close");
    } else if (to === "RESOLVED") resolve();
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
            onClick={resolve}
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
      {hasSnoozeDialog ? (
        <SnoozeDialog
          conversationId={conversationId}
          isOpen={asks === "snooze"}
          isPending={isPending}
          environment={environment}
          onOpenChange={(open) => setAsks(open ? "snooze" : null)}
          snooze={(until) => move({ status: "SNOOZED", snoozedUntil: until.toISOString() })}
        />
      ) : null}
      {hasCloseDialog ? (
        <CloseDialog
          isOpen={asks === "close"}
          isPending={isPending}
          environment={environment}
          onOpenChange={(open) => setAsks(open ? "close" : null)}
          close={() => move({ status: "CLOSED" })}
        />
      ) : null}
    </>
  );
}
