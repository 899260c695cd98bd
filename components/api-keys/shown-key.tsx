"use client";

import { useEffect, useRef } from "react";
import { Button } from "@/components/ui/button";
import { CopyBlock, CopyButton } from "@/components/ui/copy";
import { Notice } from "@/components/ui/notice";
import { firstRequest } from "./first-request";
import type { ShownKey } from "./states";

type ShownKeyProps = {
  shown: ShownKey;
  apiUrl: string;
  isSaved: boolean;
  isWarned: boolean;
  onSaved: (isSaved: boolean) => void;
  onDone: () => void;
  onDiscard: () => void;
};

/** The one time a key is seen. Leaving is held up until it was copied, or is said to be kept. */
export function ShownKeyPanel({ shown, apiUrl, isSaved, isWarned, onSaved, onDone, onDiscard }: ShownKeyProps) {
  const keep = () => onSaved(true);
  const input = useRef<HTMLInputElement>(null);

  // The form that held the focus is gone.
  useEffect(() => input.current?.focus(), []);

  useEffect(() => {
    if (isSaved) return;
    const hold = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", hold);
    return () => window.removeEventListener("beforeunload", hold);
  }, [isSaved]);

  return (
    <div className="space-y-5">
      <div className="space-y-2">
        <div className="flex gap-2">
          <input
            ref={input}
            readOnly
            aria-label="API key"
            value={shown.key}
            onFocus={(event) => event.currentTarget.select()}
            onCopy={keep}
            className="h-9 w-full min-w-0 rounded-lg border border-line-strong bg-sunken px-3 font-mono text-xs"
          />
          <CopyButton text={shown.key} label="Copy the key" look="primary" onCopied={keep}>
            Copy
          </CopyButton>
        </div>
        <p className="text-muted">We keep only a hash of it, so nobody can show it to you again.</p>
      </div>
      <div className="space-y-1.5">
        <h3 className="font-medium">For your .env file</h3>
        <CopyBlock text={`PARLANCE_API_KEY=${shown.key}`} label="Copy the .env line" onCopied={keep} />
      </div>
      <div className="space-y-1.5">
        <h3 className="font-medium">Try it</h3>
        <CopyBlock text={firstRequest(apiUrl, shown.key, shown.scopes)} label="Copy the curl command" onCopied={keep} />
      </div>
      {isWarned && !isSaved ? (
        <Notice look="warn">
          <p>The key was not copied yet, and it cannot be shown again.</p>
          <button type="button" onClick={onDiscard} className="mt-1 font-medium underline underline-offset-2">
            Close without it
          </button>
        </Notice>
      ) : null}
      <div className="flex flex-wrap items-center justify-between gap-3">
        <label className="flex items-center gap-2">
          <input type="checkbox" checked={isSaved} onChange={(event) => onSaved(event.currentTarget.checked)} />I have kept the key
        </label>
        <Button onClick={onDone}>Done</Button>
      </div>
    </div>
  );
}
