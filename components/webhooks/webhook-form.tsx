"use client";

import { type FormEvent, type ReactNode, useState, useTransition } from "react";
import type { ApiCall } from "@/components/shell/api-call";
import { ShowApiCall } from "@/components/shell/show-api-call";
import { Button } from "@/components/ui/button";
import { TextField } from "@/components/ui/field";
import { MetadataField } from "@/components/ui/metadata-field";
import { RefusalNotice } from "@/components/ui/refusal-notice";
import { LeaveGuard } from "@/components/ui/unsaved-changes";
import { useFieldErrors } from "@/components/ui/use-field-errors";
import type { Refusal } from "@/lib/platform/action-result";
import { fromMetadataRows, metadataProblem, toMetadataRows } from "@/lib/platform/metadata-rows";
import { toDeliveryOptions } from "@/lib/webhooks/delivery-options";
import type { WebhookInput } from "./action-types";
import { DeliveryFields } from "./delivery-fields";
import { EventPicker } from "./event-picker";
import type { EventFamily } from "./event-selection";
import { FilterField, type Filtering } from "./filter-field";
import { type HeaderRow, HeadersField, headersPatch, headersProblem } from "./headers-field";

type WebhookFormProps = {
  initial: WebhookInput;
  /** The names of the stored headers. */
  headerNames: string[];
  families: EventFamily[];
  /** In live, http is rejected, unless the operator allows private targets. */
  urlHint: string;
  filtering: Filtering;
  submit: string;
  pending: string;
  /** The request of the API that does the same with this input. */
  apiCall: (input: WebhookInput) => ApiCall;
  /** Sends the input. @returns null if it was accepted */
  save: (input: WebhookInput) => Promise<Refusal | null>;
  /** Next to the submit button. */
  cancel: ReactNode;
};

/**
 * The form for creating and editing a webhook. If the server rejects it, the input stays and the
 * first invalid field gets the focus. The error of a field is shown until the field is edited.
 */
export function WebhookForm({
  initial,
  headerNames,
  families,
  urlHint,
  filtering,
  submit,
  pending,
  apiCall,
  save,
  cancel,
}: WebhookFormProps) {
  const [events, setEvents] = useState(initial.events);
  const [filter, setFilter] = useState(initial.filter);
  const [headers, setHeaders] = useState<HeaderRow[]>(() =>
    headerNames.map((name) => ({ id: name, name, value: null })),
  );
  const [options, setOptions] = useState(() => toDeliveryOptions(initial));
  const [metadata, setMetadata] = useState(() => toMetadataRows(initial.metadata));
  const [refused, setRefused] = useState<Refusal | null>(null);
  const [isEdited, setIsEdited] = useState(false);
  const { errors, correct, correctEdited } = useFieldErrors(refused);
  const [isPending, startTransition] = useTransition();

  /** For controls whose buttons change the form without an input event. */
  function edit<Value>(field: string, set: (value: Value) => void) {
    return (value: Value) => {
      setIsEdited(true);
      correct(field);
      set(value);
    };
  }

  function onInput(event: FormEvent<HTMLFormElement>) {
    setIsEdited(true);
    correctEdited(event);
  }

  function send(event: FormEvent<HTMLFormElement>) {
    // Not the form's `action`: React empties a form after its action.
    event.preventDefault();
    if (metadataProblem(metadata) || headersProblem(headers)) return;
    const input = inputOf(new FormData(event.currentTarget));
    startTransition(async () => {
      const refusal = await save(input);
      setRefused(refusal);
      if (!refusal) setIsEdited(false);
    });
  }

  function inputOf(sent: FormData): WebhookInput {
    const description = String(sent.get("description")).trim();
    return {
      url: String(sent.get("url")).trim(),
      description: description || null,
      events,
      filter,
      headers: headersPatch(headerNames, headers),
      ...options,
      metadata: fromMetadataRows(metadata),
    };
  }

  return (
    <form onSubmit={send} onInput={onInput} className="max-w-2xl space-y-6">
      <LeaveGuard hasUnsaved={isEdited} />
      <RefusalNotice refused={refused} />
      <TextField
        label="URL"
        name="url"
        type="text"
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
        required
        maxLength={2_048}
        placeholder="https://example.com/parlance"
        defaultValue={initial.url}
        hint={urlHint}
        error={errors.url}
      />
      <TextField
        label="Description"
        name="description"
        maxLength={500}
        autoComplete="off"
        placeholder="What receives these events"
        defaultValue={initial.description ?? ""}
        error={errors.description}
      />
      <EventPicker
        families={families}
        patterns={events}
        onChange={edit("events", setEvents)}
        error={errors.events}
      />
      <FilterField
        {...filtering}
        events={events}
        filter={filter}
        onChange={edit("filter", setFilter)}
        errors={errors}
      />
      <HeadersField rows={headers} onChange={edit("headers", setHeaders)} errors={errors} />
      <DeliveryFields options={options} onChange={setOptions} errors={errors} />
      <MetadataField
        rows={metadata}
        onChange={edit("metadata", setMetadata)}
        hint="Your own notes. Never sent to the receiver."
        errors={errors}
      />
      <div className="flex flex-wrap gap-2">
        <Button type="submit" disabled={isPending}>
          {isPending ? pending : submit}
        </Button>
        {cancel}
        <ShowApiCall call={(form) => apiCall(inputOf(form))} />
      </div>
    </form>
  );
}
