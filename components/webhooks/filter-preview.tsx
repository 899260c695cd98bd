"use client";

import { useState, useTransition } from "react";
import { Button } from "@/components/ui/button";
import { CopyableId } from "@/components/ui/copyable-id";
import { Link } from "@/components/ui/link";
import type { Refusal } from "@/lib/platform/action-result";
import type { FilterPreview as Preview } from "@/lib/webhooks/filter";
import type { WebhookFilter } from "@/lib/webhooks/filter-schema";
import type { PreviewFilter } from "./action-types";

type FilterPreviewProps = {
  base: string;
  input: { events: string[]; filter: WebhookFilter | null };
  preview: PreviewFilter;
};

/** The newest events that the webhook would have received, before the form is saved. */
export function FilterPreview({ base, input, preview }: FilterPreviewProps) {
  const [shown, setShown] = useState<{ of: string; result: Preview | Refusal } | null>(null);
  const [isPending, startTransition] = useTransition();
  const compared = JSON.stringify(input);
  // A result no longer applies once the form changes.
  const result = shown?.of === compared ? shown.result : null;

  const load = () =>
    startTransition(async () => {
      const loaded = await preview(input);
      setShown({ of: compared, result: loaded.outcome === "done" ? loaded.value : loaded });
    });

  return (
    <div className="space-y-3">
      <Button
        variant="secondary"
        size="small"
        onClick={load}
        disabled={isPending || input.events.length === 0}
      >
        {isPending ? "Comparing…" : "Preview matching events"}
      </Button>
      <div aria-live="polite" className="space-y-3">
        {result === null ? null : "message" in result ? (
          <p className="text-danger">{result.message}</p>
        ) : (
          <Matches base={base} {...result} />
        )}
      </div>
    </div>
  );
}

function Matches({ base, compared, matching, events }: Preview & { base: string }) {
  if (compared === 0)
    return <p className="text-muted">There are no events of these types in the last 30 days.</p>;
  return (
    <>
      <p>
        {matching === 1 ? "1 event matches" : `${matching} events match`}, of the newest{" "}
        {compared === 1 ? "one" : compared}.
      </p>
      {events.length > 0 ? (
        <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
          {events.map(({ id, type, createdAt }) => (
            <li key={id} className="flex flex-wrap items-center gap-x-4 gap-y-1 px-3 py-2">
              <Link href={`${base}/events/${id}`} className="font-medium hover:underline">
                {type}
              </Link>
              <CopyableId id={id} />
              <span className="text-muted">{createdAt.slice(0, 19).replace("T", " ")} UTC</span>
            </li>
          ))}
        </ul>
      ) : null}
    </>
  );
}
