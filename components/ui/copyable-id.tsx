"use client";

import { CopyButton } from "./copy";

/** An id with a button that copies it. */
export function CopyableId({ id }: { id: string }) {
  return (
    <span className="inline-flex max-w-full items-center gap-0.5">
      <code className="truncate font-mono text-muted text-xs">{id}</code>
      <CopyButton text={id} label={`Copy ${id}`} variant="quiet" size="tiny" />
    </span>
  );
}
