"use client";

import { useTransition } from "react";
import { toast } from "sonner";
import { ConfirmDialog } from "@/components/shell/confirm-dialog";
import { Button } from "@/components/ui/button";
import type { ActionResult } from "@/lib/platform/action-result";

type SignOutOneProps = { device: string; signOut: () => Promise<ActionResult> };

export function SignOutOne({ device, signOut }: SignOutOneProps) {
  const [isPending, startTransition] = useTransition();
  const run = () =>
    startTransition(async () => {
      const result = await signOut();
      if (result.outcome === "done") toast.success(`${device} is signed out.`);
      else toast.error(result.message);
    });
  return (
    <Button
      variant="secondary"
      size="small"
      onClick={run}
      disabled={isPending}
      aria-label={`Sign out ${device}`}
    >
      {isPending ? "Signing out…" : "Sign out"}
    </Button>
  );
}

export function SignOutEverywhere({
  count,
  signOut,
}: {
  count: number;
  signOut: () => Promise<void>;
}) {
  return (
    <ConfirmDialog
      trigger="Sign out everywhere…"
      size="small"
      title="Sign out everywhere?"
      environment={null}
      confirm="Sign out everywhere"
      pending="Signing out…"
      act={async () => {
        await signOut();
        return { outcome: "done", value: null };
      }}
      done="You are signed out everywhere."
    >
      <p>
        {count === 1
          ? "The one session that you have"
          : `All ${count} sessions, this one among them,`}{" "}
        will end at once. You sign in again as you always do.
      </p>
    </ConfirmDialog>
  );
}
