"use client";

import { useRouter } from "next/navigation";
import { type FormEvent, type KeyboardEvent, useEffect, useState, useTransition } from "react";
import { toast } from "sonner";
import { Button } from "@/components/ui/button";
import { TextAreaField, TextField } from "@/components/ui/field";
import { MetadataField } from "@/components/ui/metadata-field";
import { Notice } from "@/components/ui/notice";
import { RefusalNotice } from "@/components/ui/refusal-notice";
import { useWarnBeforeLeaving } from "@/components/ui/unsaved-changes";
import {
  changedDraftFields,
  type DraftField,
  draftPatch,
  type DraftForm as Form,
  rebaseDraft,
  toForm,
} from "@/lib/agents/draft-form";
import type { Agent } from "@/lib/agents/schema";
import type { Refusal } from "@/lib/platform/action-result";
import { fromMetadataRows, metadataProblem } from "@/lib/platform/metadata-rows";
import type { SaveDraft } from "./action-types";
import { fieldLabels } from "./field-labels";
import { type KnowledgeBaseChoice, KnowledgeBasePicker } from "./knowledge-base-picker";

/** A button outside the form submits it by this id. */
export const draftFormId = "draft";

type Props = {
  agent: Agent;
  choices: KnowledgeBaseChoice[];
  maximumKnowledgeBases: number;
  save: SaveDraft;
};

/** The input, and the draft that it is based on. */
type State = {
  seen: Agent;
  form: Form;
  /** Changes by others to the draft in the meantime, for the user to review. */
  taken: DraftField[];
  conflicts: DraftField[];
};

/**
 * The form of the draft. The API or another member may change the draft in the meantime. Saving
 * never overwrites a change that the user has not seen: fields that only others changed are updated,
 * and fields that both changed show both values.
 */
export function DraftForm({ agent, choices, maximumKnowledgeBases, save }: Props) {
  const router = useRouter();
  const [state, setState] = useState<State>(() => ({
    seen: agent,
    form: toForm(agent),
    taken: [],
    conflicts: [],
  }));
  const [refused, setRefused] = useState<Refusal | null>(null);
  const [isPending, startTransition] = useTransition();
  const [isSaveQueued, setIsSaveQueued] = useState(false);

  // The page was refreshed with a newer draft.
  if (agent.updatedAt > state.seen.updatedAt) setState(rebased(state, agent));

  const { seen, form, taken, conflicts } = state;
  const base = toForm(seen);
  const hasChanges = changedDraftFields(base, form).length > 0;
  useWarnBeforeLeaving(hasChanges);

  function change(changes: Partial<Form>) {
    setState((before) => ({ ...before, form: { ...before.form, ...changes } }));
  }

  function takeTheirs(field: DraftField) {
    setState((before) => ({
      ...before,
      form: { ...before.form, [field]: toForm(before.seen)[field] },
      conflicts: before.conflicts.filter((other) => other !== field),
    }));
  }

  function submit(event: FormEvent) {
    event.preventDefault();
    if (isPending) setIsSaveQueued(true);
    else saveDraft();
  }

  // Ctrl+S during a save starts another one when it ends, with the text typed since.
  useEffect(() => {
    if (!isSaveQueued || isPending) return;
    setIsSaveQueued(false);
    saveDraft();
  });

  function saveDraft() {
    if (!hasChanges || metadataProblem(form.metadata)) return;
    const sent = form;
    startTransition(async () => {
      const result = await save(seen.updatedAt, draftPatch(base, sent));
      if (result.outcome === "refused") {
        setRefused(result);
        setIsSaveQueued(false);
        if (result.errors.updatedAt) router.refresh();
        return;
      }
      setRefused(null);
      // Text typed during the save stays in the form, unsaved.
      setState((before) => ({
        ...rebased({ ...before, seen: result.value }, result.value, sent),
        taken: [],
        conflicts: [],
      }));
      toast.success("Draft saved. Publish it to make it the current version.");
    });
  }

  function onKeyDown(event: KeyboardEvent<HTMLFormElement>) {
    if (event.key.toLowerCase() !== "s" || !(event.metaKey || event.ctrlKey)) return;
    event.preventDefault();
    event.currentTarget.requestSubmit();
  }

  const errors = byField(refused?.errors);
  const isChangedByOthers = Boolean(errors.updatedAt) || taken.length > 0 || conflicts.length > 0;
  const theirs = (field: DraftField) =>
    conflicts.includes(field) ? (
      <Theirs field={field} seen={seen} choices={choices} take={() => takeTheirs(field)} />
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
      onSubmit={submit}
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
      <RefusalNotice refused={refused} />
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
          errors={refused?.errors ?? {}}
        />
        {theirs("metadata")}
      </div>
      <div className="sticky bottom-0 -mx-5 -mb-5 flex flex-wrap items-center justify-end gap-2 rounded-b-2xl border-line border-t bg-surface px-5 py-3.5">
        <p className="mr-auto text-muted" aria-live="polite">
          {hasChanges ? "Not saved yet" : "All saved"}
        </p>
        {hasChanges ? (
          <Button
            variant="secondary"
            onClick={() => {
              setState({ seen, form: base, taken: [], conflicts: [] });
              setRefused(null);
            }}
          >
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

/**
 * @param began the form that `seen` is compared with: fields not edited since then get the values of
 * `now`.
 */
function rebased(state: State, now: Agent, began = toForm(state.seen)): State {
  const { form, taken, conflicts } = rebaseDraft(began, state.form, toForm(now));
  // Without unsaved edits, just show the current draft.
  if (changedDraftFields(began, state.form).length === 0)
    return { seen: now, form, taken: [], conflicts: [] };
  const isStill = (field: DraftField) =>
    !conflicts.includes(field) && changedDraftFields(toForm(now), form).includes(field);
  return {
    seen: now,
    form,
    taken: [...new Set([...state.taken, ...taken])],
    conflicts: [...new Set([...state.conflicts.filter(isStill), ...conflicts])],
  };
}

/** The first error of each field, including errors in nested fields. */
function byField(errors: Record<string, string> = {}): Record<string, string> {
  return Object.fromEntries(
    Object.entries(errors).map(([name, message]) => [name.split(".")[0] ?? name, message]),
  );
}

const names = (fields: DraftField[]) =>
  fields.map((field) => fieldLabels[field].toLowerCase()).join(", ");

function ChangedByOthers({
  wasRefused,
  taken,
  conflicts,
}: {
  wasRefused: boolean;
  taken: DraftField[];
  conflicts: DraftField[];
}) {
  return (
    <Notice variant="warn">
      <p className="font-medium">
        The draft has changed since you opened it{wasRefused ? ", so nothing was saved" : ""}:
        another member or the API changed it.
      </p>
      {taken.length > 0 ? (
        <p className="mt-1">
          Updated to the current draft, because you had not edited them: {names(taken)}.
        </p>
      ) : null}
      {conflicts.length > 0 ? (
        <p className="mt-1">
          Changed by both: {names(conflicts)}. Both are shown below. Saving stores the value in the
          field.
        </p>
      ) : (
        <p className="mt-1">Your edits are still here. Review them, then save.</p>
      )}
    </Notice>
  );
}

/** The value that others saved, below the user's own. */
function Theirs({
  field,
  seen,
  choices,
  take,
}: {
  field: DraftField;
  seen: Agent;
  choices: KnowledgeBaseChoice[];
  take: () => void;
}) {
  return (
    <div className="mt-2 rounded-lg border border-warn/40 bg-warn-soft px-3 py-2.5">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <p className="font-medium text-warn">In the draft now</p>
        <Button
          variant="secondary"
          size="small"
          onClick={take}
          aria-label={`Use the draft's ${fieldLabels[field].toLowerCase()}`}
        >
          Use this
        </Button>
      </div>
      <p className="mt-1 max-h-56 overflow-auto whitespace-pre-wrap break-words">
        {asText(field, toForm(seen), choices)}
      </p>
    </div>
  );
}

function asText(field: DraftField, form: Form, choices: KnowledgeBaseChoice[]): string {
  if (field === "metadata") return JSON.stringify(fromMetadataRows(form.metadata), null, 2);
  if (field === "knowledgeBaseIds") {
    const chosen = form.knowledgeBaseIds.map(
      (id) => choices.find((choice) => choice.id === id)?.name ?? id,
    );
    return chosen.join("\n") || "None";
  }
  return form[field] || "Empty";
}
