"use client";

import { useState, useTransition } from "react";
import { Button } from "@/components/ui/button";
import { Notice } from "@/components/ui/notice";
import type { ActionResult } from "@/lib/platform/action-result";

type Finding = { entries: number; broken: { sequence: number; reason: string } | null };

/** Recomputes every hash of the log and shows the result. */
export function VerifyButton({ verify }: { verify: () => Promise<ActionResult<Finding>> }) {
  const [result, setResult] = useState<ActionResult<Finding> | null>(null);
  const [isPending, startTransition] = useTransition();
  return (
    <div className="flex flex-wrap items-center gap-3">
      <Button
        variant="secondary"
        size="small"
        disabled={isPending}
        onClick={() => startTransition(async () => setResult(await verify()))}
      >
        {isPending ? "Verifying…" : "Verify log"}
      </Button>
      <div aria-live="polite" className="min-w-0">
        {result ? <Outcome result={result} /> : null}
      </div>
    </div>
  );
}

function Outcome({ result }: { result: ActionResult<Finding> }) {
  if (result.outcome === "refused") return <Notice>{result.message}</Notice>;
  const { entries, broken } = result.value;
  if (broken) {
    return (
      <Notice>
        Verification failed at entry {broken.sequence.toLocaleString("en")}: {broken.reason}. The{" "}
        {entries.toLocaleString("en")} entries before it are unchanged.
      </Notice>
    );
  }
  return <p className="text-good">All {entries.toLocaleString("en")} entries are unchanged.</p>;
}
