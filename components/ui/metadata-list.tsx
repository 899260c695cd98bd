import type { Metadata } from "@/lib/platform/metadata";

/** Metadata, to read: each value as JSON has it, so that a 3 and "3" are not the same. */
export function MetadataList({ metadata }: { metadata: Metadata }) {
  const entries = Object.entries(metadata);
  if (entries.length === 0) return <p className="text-muted">None</p>;
  return (
    <ul className="font-mono text-xs leading-5">
      {entries.map(([key, value]) => (
        <li key={key} className="break-words">
          <span className="text-muted">{key}:</span> {JSON.stringify(value)}
        </li>
      ))}
    </ul>
  );
}
