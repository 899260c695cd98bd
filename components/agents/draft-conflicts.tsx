import { Button } from "@/components/ui/button";
import { Notice } from "@/components/ui/notice";
import { type DraftField, type DraftForm, toForm } from "@/lib/agents/draft-form";
import type { Agent } from "@/lib/agents/schema";
import { fromMetadataRows } from "@/lib/platform/metadata-rows";
import { fieldLabels } from "./field-labels";
import type { KnowledgeBaseChoice } from "./knowledge-base-picker";

const names = (fields: DraftField[]) =>
  fields.map((field) => fieldLabels[field].toLowerCase()).join(", ");

/** Says which fields others changed, and which of those the user changed too. */
export function ChangedByOthers({
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
export function Theirs({
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

function asText(field: DraftField, form: DraftForm, choices: KnowledgeBaseChoice[]): string {
  if (field === "metadata") return JSON.stringify(fromMetadataRows(form.metadata), null, 2);
  if (field === "knowledgeBaseIds") {
    const chosen = form.knowledgeBaseIds.map(
      (id) => choices.find((choice) => choice.id === id)?.name ?? id,
    );
    return chosen.join("\n") || "None";
  }
  return form[field] || "Empty";
}
