import type { Metadata } from "@/lib/platform/metadata";
import {
  fromMetadataRows,
  type MetadataRow,
  metadataPatch,
  rebaseMetadataRows,
  toMetadataRows,
} from "@/lib/platform/metadata-rows";
import type { Agent, UpdateAgent } from "./schema";

// The state of the form that edits a draft, in the browser. Others may change the draft meanwhile.

/** The draft as text in the form: it has strings where the draft has numbers and nulls. */
export type DraftForm = {
  name: string;
  description: string;
  model: string;
  temperature: string;
  instructions: string;
  greeting: string;
  knowledgeBaseIds: string[];
  metadata: MetadataRow[];
};

export type DraftField = keyof DraftForm;

export function toForm(agent: Agent): DraftForm {
  return {
    name: agent.name,
    description: agent.description ?? "",
    model: agent.model ?? "",
    temperature: agent.temperature === null ? "" : String(agent.temperature),
    instructions: agent.instructions ?? "",
    greeting: agent.greeting ?? "",
    knowledgeBaseIds: agent.knowledgeBaseIds,
    metadata: toMetadataRows(agent.metadata),
  };
}

type Written = { [Field in DraftField]: (form: DraftForm) => UpdateAgent[Field] };

const orNull = (text: string) => (text === "" ? null : text);

/** The value that is sent for each field. */
const written: Written = {
  name: ({ name }) => name.trim(),
  description: ({ description }) => orNull(description),
  model: ({ model }) => orNull(model.trim()),
  temperature: ({ temperature }) => (temperature.trim() === "" ? null : Number(temperature)),
  instructions: ({ instructions }) => orNull(instructions),
  greeting: ({ greeting }) => orNull(greeting),
  knowledgeBaseIds: ({ knowledgeBaseIds }) => knowledgeBaseIds.toSorted(),
  metadata: ({ metadata }) => sorted(fromMetadataRows(metadata)),
};

const sorted = (metadata: Metadata): Metadata =>
  Object.fromEntries(Object.entries(metadata).toSorted(([a], [b]) => (a < b ? -1 : 1)));

const isSame = (field: DraftField, a: DraftForm, b: DraftForm) =>
  JSON.stringify(written[field](a)) === JSON.stringify(written[field](b));

export function changedDraftFields(base: DraftForm, form: DraftForm): DraftField[] {
  return (Object.keys(written) as DraftField[]).filter((field) => !isSame(field, base, form));
}

/** The PATCH that changes the draft from the form's initial values to its current ones. */
export function draftPatch(base: DraftForm, form: DraftForm): UpdateAgent {
  const changed = changedDraftFields(base, form);
  return {
    ...Object.fromEntries(changed.map((field) => [field, written[field](form)])),
    ...(changed.includes("metadata") && {
      metadata: metadataPatch(fromMetadataRows(base.metadata), fromMetadataRows(form.metadata)),
    }),
  };
}

export type Rebased = {
  form: DraftForm;
  /** Fields that only others changed. The form shows their value. */
  taken: DraftField[];
  /**
   * Fields that both the user and others changed, to different values. The form still shows the
   * user's.
   */
  conflicts: DraftField[];
};

/**
 * Merges others' changes to the draft into the form.
 * @param base the draft that the form started from
 * @param mine the current form
 * @param theirs the current draft
 */
export function rebaseDraft(base: DraftForm, mine: DraftForm, theirs: DraftForm): Rebased {
  const form: DraftForm = { ...mine };
  const taken: DraftField[] = [];
  const conflicts: DraftField[] = [];
  for (const field of changedDraftFields(base, theirs)) {
    if (isSame(field, mine, theirs)) continue;
    if (field === "metadata") {
      const { rows, hasConflict } = rebaseMetadataRows(
        fromMetadataRows(base.metadata),
        mine.metadata,
        fromMetadataRows(theirs.metadata),
      );
      form.metadata = rows;
      (hasConflict ? conflicts : taken).push(field);
    } else if (isSame(field, base, mine)) {
      Object.assign(form, { [field]: theirs[field] });
      taken.push(field);
    } else conflicts.push(field);
  }
  return { form, taken, conflicts };
}
