import type { Metadata } from "@/lib/platform/metadata";

/** Read-only metadata. Values are shown as JSON, to distinguish 3 from "3". */
export function MetadataList({ metadata }: { metadata: Metadata }) {
  const entries = Object.entries(metadata);
  if (entries.length === 0) return <p className="text-muted">None</p>;
  return (
    <ul className="font-mono text-xs leading-5">
      {entries.map(([key, value]) => (
        <li key={key} className="break-words">
          <span className="text-muted">
            <bdi>{key}</bdi>:
          </span>{" "}
          <bdi>{JSON.stringify(value)}</bdi>
        </li>
      ))}
    </ul>
  );
}
