"use client";

import { useTransition } from "react";
import { Button } from "@/components/ui/button";
import { toast } from "@/components/ui/toast";
import type { ActionResult } from "@/lib/platform/action-result";
import { announceRead } from "./read-broadcast";

export function MarkAllRead({ mark }: { mark: () => Promise<ActionResult> }) {
  const [isPending, startTransition] = useTransition();
  const run = () =>
    startTransition(async () => {
      const result = await mark();
      if (result.outcome === "refused") toast.error(result.message);
      else announceRead();
    });
  return (
    <Button variant="secondary" onClick={run} disabled={isPending}>
      {isPending ? "Marking…" : "Mark all as read"}
    </Button>
  );
}
