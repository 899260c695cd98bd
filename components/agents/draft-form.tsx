"use client";

import type { KeyboardEvent } from "react";
import { ShowApiCall } from "@/components/shell/show-api-call";
import { Button } from "@/components/ui/button";
import { TextAreaField, TextField } from "@/components/ui/field";
import { MetadataField } from "@/components/ui/metadata-field";
import { RefusalNotice } from "@/components/ui/refusal-notice";
import { LeaveGuard } from "@/components/ui/unsaved-changes";
import type { DraftField } from "@/lib/agents/draft-form";
import type { Agent } from "@/lib/agents/schema";
import type { SaveDraft } from "./action-types";
import { ChangedByOthers, Theirs } from "./draft-conflicts";
import { fieldLabels } from "./field-labels";
import { type KnowledgeBaseChoice, KnowledgeBasePicker } from "./knowledge-base-picker";
import { useDraftForm } from "./use-draft-form";

/** A button outside the form submits it by this id. */
export const draftFormId = "draft";

type Props = {
  agent: Agent;
  choices: KnowledgeBaseChoice[];
  maximumKnowledgeBases: number;
  save: SaveDraft;
};

/**
 * The form of the draft. The API or another member may change the draft in the meantime. Saving
 * never overwrites a change that the user has not seen: fields that only others changed are updated,
 * and fields that both changed show both values.
 */
export function DraftForm({ agent, choices, maximumKnowledgeBases, save }: Props) {
  const { seen, form, taken, conflicts, refused, isPending, hasChanges, ...draft } = useDraftForm(
    agent,
    save,
  );
  const { change } = draft;
  const errors = byField(draft.errors);

  function onKeyDown(event: KeyboardEvent<HTMLFormElement>) {
    if (event.key.toLowerCase() !== "s" || !(event.metaKey || event.ctrlKey)) return;
    event.preventDefault();
    event.currentTarget.requestSubmit();
  }

  const isChangedByOthers = Boolean(errors.updatedAt) || taken.length > 0 || conflicts.length > 0;
  const theirs = (field: DraftField) =>
    conflicts.includes(field) ? (
      <Theirs field={field} seen={seen} choices={choices} take={() => draft.takeTheirs(field)} />
    ) : null;
  const text = (
    field: "name" | "description" | "model" | "temperature" | "instructions" | "greeting",
  ) => ({
    label: fieldLabels[field],
    value: form[field],
    onChange: (event: { currentTarget: { value: string } }) =>
      change({ [field]: event.currentTarget.value }),
    error: errors[field],
  });

  return (
    <form
      id={draftFormId}
      onSubmit={draft.submit}
      onKeyDown={onKeyDown}
      className="space-y-5 rounded-2xl border border-line bg-surface p-5"
    >
      {isChangedByOthers ? (
        <ChangedByOthers
          wasRefused={Boolean(errors.updatedAt)}
          taken={taken}
          conflicts={conflicts}
        />
      ) : null}
      <LeaveGuard hasUnsaved={hasChanges} />
      {/* A conflict has its own notice. */}
      <RefusalNotice refused={errors.updatedAt ? null : refused} />
      <div>
        <TextField {...text("name")} required maxLength={100} autoComplete="off" />
        {theirs("name")}
      </div>
      <div>
        <TextField
          {...text("description")}
          maxLength={500}
          autoComplete="off"
          hint="For your team; customers do not see it."
        />
        {theirs("description")}
      </div>
      <div className="grid gap-5 sm:grid-cols-2">
        <div>
          <TextField
            {...text("model")}
            maxLength={100}
            autoComplete="off"
            hint="The model your program calls, in any notation."
          />
          {theirs("model")}
        </div>
        <div>
          <TextField
            {...text("temperature")}
            type="number"
            min={0}
            max={2}
            step="any"
            hint="0 to 2; empty leaves it to the model."
          />
          {theirs("temperature")}
        </div>
      </div>
      <div>
        <TextAreaField
          {...text("instructions")}
          rows={12}
          maxLength={32_000}
          hint="What your program tells the model: how to reply, and what not to do."
        />
        {theirs("instructions")}
      </div>
      <div>
        <TextAreaField
          {...text("greeting")}
          rows={3}
          maxLength={1_000}
          hint="What your program says first."
        />
        {theirs("greeting")}
      </div>
      <div>
        <KnowledgeBasePicker
          choices={choices}
          chosen={form.knowledgeBaseIds}
          maximum={maximumKnowledgeBases}
          onChange={(knowledgeBaseIds) => change({ knowledgeBaseIds })}
          error={errors.knowledgeBaseIds}
        />
        {theirs("knowledgeBaseIds")}
      </div>
      <div>
        <MetadataField
          rows={form.metadata}
          onChange={(metadata) => change({ metadata })}
          hint="Your own notes: at most 50 keys."
          errors={draft.errors}
        />
        {theirs("metadata")}
      </div>
      <div className="sticky bottom-0 -mx-5 -mb-5 flex flex-wrap items-center justify-end gap-2 rounded-b-2xl border-line border-t bg-surface px-5 py-3.5">
        <p className="mr-auto text-muted" aria-live="polite">
          {hasChanges ? "Not saved yet" : "All saved"}
        </p>
        <ShowApiCall
          call={() => ({
            operationId: "updateAgent",
            ids: { agentId: agent.id },
            body: draft.patch(),
          })}
        />
        {hasChanges ? (
          <Button variant="secondary" onClick={draft.discard}>
            Discard
          </Button>
        ) : null}
        <Button type="submit" disabled={isPending || !hasChanges}>
          {isPending ? "Saving…" : "Save draft"}
        </Button>
      </div>
    </form>
  );
}

/** The first error of each field, including errors in nested fields. */
function byField(errors: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(errors).map(([name, message]) => [name.split(".")[0] ?? name, message]),
  );
}
