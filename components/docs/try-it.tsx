"use client";

import { type FormEvent, useId, useState } from "react";
import { Button } from "@/components/ui/button";
import { TextField } from "@/components/ui/field";
import { Notice } from "@/components/ui/notice";
import { type Outcome, sendTryRequest, type TryField } from "./send-try-request";
import { setKey, useKey } from "./try-key";

type TryItProps = {
  operationId: string;
  method: string;
  path: string;
  fields: TryField[];
  /** The initial JSON, or null if the operation has no body. */
  body: string | null;
  takesFile: boolean;
};

/** Sends the request from the browser to this installation, with the reader's own key. */
export function TryIt(props: TryItProps) {
  return (
    <details className="rounded-xl border border-line bg-surface">
      <summary className="flex h-11 items-center px-4 font-medium">Try it</summary>
      <TryForm {...props} />
    </details>
  );
}

function TryForm({ operationId, method, path, fields, body, takesFile }: TryItProps) {
  const id = useId();
  const key = useKey();
  const [isSending, setIsSending] = useState(false);
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const [failure, setFailure] = useState("");
  const [isForm, setIsForm] = useState(takesFile);

  async function send(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    setIsSending(true);
    setFailure("");
    try {
      setOutcome(
        await sendTryRequest({
          apiKey: key,
          method,
          path,
          fields,
          form,
          isForm,
          hasBody: body !== null,
        }),
      );
    } catch {
      setOutcome(null);
      setFailure("The server did not respond. Is it running?");
    }
    setIsSending(false);
  }

  return (
    <form
      onSubmit={send}
      className="space-y-4 border-line border-t p-4"
      aria-label={`Try ${operationId}`}
    >
      <TextField
        label="API key"
        type="password"
        autoComplete="off"
        spellCheck={false}
        value={key}
        onChange={(event) => setKey(event.currentTarget.value)}
        hint="Sent only to this installation. A test key stays in this tab until you close it. Any other key is forgotten when you leave this page."
        required
      />
      {/^\w+_live_/.test(key) && method !== "GET" ? (
        <Notice variant="warn">This is a live key: the request changes real data.</Notice>
      ) : null}
      {fields.length > 0 ? (
        <div className="grid gap-4 sm:grid-cols-2">
          {fields.map(({ name, place, isRequired, placeholder }) => (
            <TextField
              key={name}
              label={name}
              name={`${place}:${name}`}
              placeholder={placeholder}
              required={isRequired}
              autoComplete="off"
              spellCheck={false}
            />
          ))}
        </div>
      ) : null}
      {takesFile ? (
        <fieldset className="flex gap-4">
          <legend className="sr-only">Send as</legend>
          <label className="flex items-center gap-2">
            <input type="radio" checked={isForm} onChange={() => setIsForm(true)} />
            File
          </label>
          <label className="flex items-center gap-2">
            <input type="radio" checked={!isForm} onChange={() => setIsForm(false)} />
            JSON
          </label>
        </fieldset>
      ) : null}
      {takesFile && isForm ? (
        <div className="space-y-1.5">
          <label htmlFor={`${id}-file`} className="block font-medium">
            file
          </label>
          <input id={`${id}-file`} name="file" type="file" required className="w-full" />
        </div>
      ) : null}
      {body !== null && !(takesFile && isForm) ? (
        <div className="space-y-1.5">
          <label htmlFor={`${id}-body`} className="block font-medium">
            Body
          </label>
          <textarea
            id={`${id}-body`}
            name="body"
            defaultValue={body}
            rows={Math.min(14, body.split("\n").length + 1)}
            spellCheck={false}
            className="w-full rounded-lg border border-line-strong bg-surface px-3 py-2 font-mono text-[0.8125rem] max-md:text-base"
          />
        </div>
      ) : null}
      <Button type="submit" disabled={isSending}>
        {isSending ? "Sending…" : "Send"}
      </Button>
      <div aria-live="polite">
        {failure ? <p className="text-danger">{failure}</p> : null}
        {outcome ? <OutcomeView outcome={outcome} /> : null}
      </div>
    </form>
  );
}

function OutcomeView({ outcome: { status, ms, headers, text } }: { outcome: Outcome }) {
  return (
    <div className="space-y-3">
      <p className="flex items-center gap-3">
        <span
          className={`rounded-full px-2 py-0.5 font-medium text-xs ${status < 400 ? "bg-good-soft text-good" : "bg-danger-soft text-danger"}`}
        >
          {status}
        </span>
        <span className="text-muted text-xs">{ms} ms</span>
      </p>
      <pre className="docs-code max-h-96 overflow-auto rounded-lg border border-line bg-sunken">
        {text}
      </pre>
      <details>
        <summary className="text-muted text-xs">Response headers</summary>
        <pre className="docs-code mt-2 overflow-auto rounded-lg border border-line bg-sunken">
          {headers.map(([name, value]) => `${name}: ${value}`).join("\n")}
        </pre>
      </details>
    </div>
  );
}
