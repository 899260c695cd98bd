"use client";

import { CopyButton } from "@/components/ui/copy";
import { useTestKey } from "./try-key";

/**
 * Once a test key was entered in "Try it", shows the command that sets the variable that all
 * samples read. The samples themselves never contain a key, so that none is committed.
 */
export function KeyLine() {
  const key = useTestKey();
  if (!key) return null;
  const command = `export PARLANCE_API_KEY=${key}`;
  return (
    <div className="mb-10 max-w-3xl">
      <p className="mb-2">Run this once in your shell. The samples below then use your key.</p>
      <div className="flex items-center rounded-xl border border-line bg-sunken">
        <code className="min-w-0 flex-1 truncate px-4 font-mono text-[0.8125rem]">
          export PARLANCE_API_KEY={key.slice(0, -40)}…{key.slice(-4)}
        </code>
        <div className="p-1">
          <CopyButton text={command} label="Copy the command that sets your key" variant="quiet" />
        </div>
      </div>
    </div>
  );
}
