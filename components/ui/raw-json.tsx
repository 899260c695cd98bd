import { Json } from "./json";

/**
 * An object exactly as the API returns it, collapsed by default.
 */
export function RawJson({
  value,
  label,
  base,
}: {
  value: unknown;
  label: string;
  base?: string | undefined;
}) {
  return (
    <details className="rounded-2xl border border-line bg-surface px-5 py-3.5">
      <summary className="font-medium">Raw JSON</summary>
      <div className="mt-3">
        <Json value={value} label={label} base={base} />
      </div>
    </details>
  );
}
