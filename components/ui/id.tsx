import { CopyButton } from "./copy";

/** An id as one needs it: to read, and to take along. */
export function Id({ id }: { id: string }) {
  return (
    <span className="inline-flex max-w-full items-center gap-0.5">
      <code className="truncate font-mono text-muted text-xs">{id}</code>
      <CopyButton text={id} label={`Copy ${id}`} look="quiet" size="tiny" />
    </span>
  );
}
