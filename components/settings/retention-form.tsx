"use client";

import { type FormEvent, useState, useTransition } from "react";
import { ConfirmDialog } from "@/components/shell/confirm-dialog";
import { Button } from "@/components/ui/button";
import { TextField } from "@/components/ui/field";
import { RefusalNotice } from "@/components/ui/refusal-notice";
import { useFieldErrors } from "@/components/ui/use-field-errors";
import type { ActionResult, ProofRequest, Refusal } from "@/lib/platform/action-result";
import { type RetentionKind, retentionKinds } from "@/lib/retention/kinds";
import type { RetentionPreview } from "@/lib/retention/settings";
import type { Retention } from "@/lib/retention/settings-schema";
import type { Environment } from "@/prisma/generated/enums";

type RetentionFormProps = {
  retention: Retention;
  environment: Environment;
  preview: (retention: Retention) => Promise<ActionResult<RetentionPreview>>;
  update: (retention: Retention) => Promise<ActionResult | ProofRequest>;
};

const labels: Record<RetentionKind, { label: string; empty: string; things: string }> = {
  conversations: {
    label: "Closed conversations",
    empty:
      "If this is empty, conversations are stored until you delete them. The days count from when a conversation was closed.",
    things: "conversations with their messages and files",
  },
  events: {
    label: "Events and deliveries",
    empty:
      "If this is empty, events are stored for 30 to 37 days. An event with a waiting or held delivery is stored longer.",
    things: "events with their deliveries",
  },
  requestLogs: {
    label: "Request logs",
    empty: "If this is empty, request logs are stored for 30 to 37 days.",
    things: "logged requests",
  },
  attempts: {
    label: "Delivery attempts and responses",
    empty: "If this is empty, attempts are stored as long as their delivery.",
    things: "delivery attempts",
  },
};
const kinds = Object.keys(retentionKinds) as RetentionKind[];

/** Shows how much would be deleted before it saves anything. */
export function RetentionForm({ retention, environment, preview, update }: RetentionFormProps) {
  const [texts, setTexts] = useState(
    () => Object.fromEntries(kinds.map((kind) => [kind, String(retention[kind] ?? "")])) as Texts,
  );
  const [counts, setCounts] = useState<RetentionPreview | null>(null);
  const [refused, setRefused] = useState<Refusal | null>(null);
  const { errors, correctEdited } = useFieldErrors(refused);
  const [isPending, startTransition] = useTransition();
  const chosen = Object.fromEntries(
    kinds.map((kind) => [kind, texts[kind].trim() === "" ? null : Number(texts[kind])]),
  ) as Retention;
  const isChanged = kinds.some((kind) => chosen[kind] !== retention[kind]);

  function showPreview(event: FormEvent<HTMLFormElement>) {
    // React also passes on what is submitted in the dialog.
    if (event.target !== event.currentTarget) return;
    event.preventDefault();
    startTransition(async () => {
      const result = await preview(chosen);
      setRefused(result.outcome === "refused" ? result : null);
      setCounts(result.outcome === "refused" ? null : result.value);
    });
  }

  return (
    <form onSubmit={showPreview} onInput={correctEdited} className="max-w-prose space-y-5">
      <RefusalNotice refused={refused} />
      {kinds.map((kind) => (
        <TextField
          key={kind}
          label={labels[kind].label}
          name={kind}
          inputMode="numeric"
          autoComplete="off"
          hint={`${retentionKinds[kind].minimum} to ${retentionKinds[kind].maximum.toLocaleString("en")} days. ${labels[kind].empty}`}
          error={errors[kind]}
          value={texts[kind]}
          onChange={(event) => {
            setTexts({ ...texts, [kind]: event.currentTarget.value });
            setCounts(null);
          }}
        />
      ))}
      <div className="flex items-center gap-3">
        <Button type="submit" variant="secondary" disabled={isPending || !isChanged}>
          {isPending ? "Counting…" : "Preview"}
        </Button>
        {counts ? (
          <ConfirmDialog
            trigger="Save…"
            variant="primary"
            title="Change the retention?"
            environment={environment}
            confirm="Change retention"
            pending="Saving…"
            act={() => update(chosen)}
            done="Retention changed."
            onDone={() => setCounts(null)}
          >
            <PreviewList counts={counts} />
            <p>It is deleted in the background, without events. This cannot be undone.</p>
          </ConfirmDialog>
        ) : null}
      </div>
      {counts ? <PreviewList counts={counts} /> : null}
    </form>
  );
}

type Texts = Record<RetentionKind, string>;

function PreviewList({ counts }: { counts: RetentionPreview }) {
  const found = kinds.filter((kind) => counts[kind].count > 0);
  if (found.length === 0) return <p>Nothing is old enough to be deleted now.</p>;
  return (
    <div>
      <p>This deletes now:</p>
      <ul className="list-disc pl-5">
        {found.map((kind) => (
          <li key={kind}>
            {counts[kind].isMore ? "more than " : ""}
            {counts[kind].count.toLocaleString("en")} {labels[kind].things}
          </li>
        ))}
      </ul>
    </div>
  );
}
