"use client";

import { useRouter } from "next/navigation";
import { type FormEvent, useEffect, useState, useTransition } from "react";
import { toast } from "@/components/ui/toast";
import { useFieldErrors } from "@/components/ui/use-field-errors";
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
import { metadataProblem } from "@/lib/platform/metadata-rows";
import type { SaveDraft } from "./action-types";

/** The input, and the draft that it is based on. */
type State = {
  seen: Agent;
  form: Form;
  /** Changes by others to the draft in the meantime, for the user to review. */
  taken: DraftField[];
  conflicts: DraftField[];
};

/** The state of the form of an agent's draft, and saving it. */
export function useDraftForm(agent: Agent, save: SaveDraft) {
  const router = useRouter();
  const [state, setState] = useState<State>(() => ({
    seen: agent,
    form: toForm(agent),
    taken: [],
    conflicts: [],
  }));
  const [refused, setRefused] = useState<Refusal | null>(null);
  const { errors, correct } = useFieldErrors(refused);
  /** The draft that a save was based on which was refused because the agent has changed. */
  const [refusedBase, setRefusedBase] = useState<Agent | null>(null);
  const [isPending, startTransition] = useTransition();
  const [isSaveQueued, setIsSaveQueued] = useState(false);

  // The page was refreshed with a newer draft.
  if (agent.updatedAt > state.seen.updatedAt) setState(rebased(state, agent));

  const { seen, form, taken, conflicts } = state;
  const base = toForm(seen);

  // Publishing changes the agent, but not the draft. A save from before that is repeated.
  if (refusedBase && seen.updatedAt > refusedBase.updatedAt) {
    setRefusedBase(null);
    if (changedDraftFields(toForm(refusedBase), base).length === 0) {
      setRefused(null);
      setIsSaveQueued(true);
    }
  }

  const hasChanges = changedDraftFields(base, form).length > 0;

  function change(changes: Partial<Form>) {
    for (const field of Object.keys(changes)) correct(field);
    setState((before) => ({ ...before, form: { ...before.form, ...changes } }));
  }

  function takeTheirs(field: DraftField) {
    correct(field);
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
        if (result.errors.updatedAt) {
          setRefusedBase(seen);
          router.refresh();
        }
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

  function discard() {
    setState({ seen, form: base, taken: [], conflicts: [] });
    setRefused(null);
    setRefusedBase(null);
  }

  return {
    seen,
    form,
    taken,
    conflicts,
    refused,
    errors,
    isPending,
    hasChanges,
    patch: () => draftPatch(base, form),
    change,
    takeTheirs,
    submit,
    discard,
  };
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
