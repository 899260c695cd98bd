"use client";

import { type MouseEvent, useTransition } from "react";
import { ConfirmDialog } from "@/components/shell/confirm-dialog";
import { Button } from "@/components/ui/button";
import { focusHeading, headingAbove } from "@/components/ui/focus-heading";
import { toast } from "@/components/ui/toast";
import type { ActionResult } from "@/lib/platform/action-result";

type SignOutOneProps = { device: string; signOut: () => Promise<ActionResult> };

/** Its row disappears. Then the heading of the section gets the focus. */
export function SignOutOne({ device, signOut }: SignOutOneProps) {
  const [isPending, startTransition] = useTransition();
  const run = ({ currentTarget }: MouseEvent<HTMLElement>) => {
    const heading = headingAbove(currentTarget);
    startTransition(async () => {
      const result = await signOut();
      if (result.outcome !== "done") return void toast.error(result.message);
      toast.success(`${device} was signed out.`);
      focusHeading(heading);
    });
  };
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
      environment="account"
      confirm="Sign out everywhere"
      pending="Signing out…"
      act={async () => {
        await signOut();
        return { outcome: "done", value: null };
      }}
      done="You were signed out everywhere."
    >
      <p>
        {count === 1 ? "Ends your only session" : `Ends all ${count} sessions, including this one,`}{" "}
        immediately. You can sign in again at any time.
      </p>
    </ConfirmDialog>
  );
}
