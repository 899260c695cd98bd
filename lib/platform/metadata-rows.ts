import type { Metadata, MetadataPatch } from "./metadata";

export type MetadataKind = "text" | "number" | "boolean";

/**
 * One key of metadata while it is edited, with a value exactly as typed. `id` identifies the row.
 */
export type MetadataRow = { id: string; key: string; kind: MetadataKind; value: string };

export function toMetadataRows(metadata: Metadata): MetadataRow[] {
  return Object.entries(metadata).map(([key, value]) => ({
    id: key,
    key,
    kind: typeof value === "string" ? "text" : (typeof value as "number" | "boolean"),
    value: String(value),
  }));
}

/**
 * Rows without a key are unfinished and left out. An invalid number is sent as typed, so that it is
 * refused.
 */
export function fromMetadataRows(rows: MetadataRow[]): Metadata {
  const named = rows
    .map((row) => ({ ...row, key: row.key.trim() }))
    .filter(({ key }) => key !== "");
  return Object.fromEntries(named.map(({ key, kind, value }) => [key, readAs[kind](value)]));
}

const readAs: Record<MetadataKind, (text: string) => Metadata[string]> = {
  text: (text) => text,
  number: (text) => (text.trim() === "" || Number.isNaN(Number(text)) ? text : Number(text)),
  boolean: (text) => text === "true",
};

/** @returns why the rows cannot be saved, or null */
export function metadataProblem(rows: MetadataRow[]): string | null {
  const keys = rows.map(({ key }) => key.trim()).filter((key) => key !== "");
  // The API rejects it too, but React drops it on the way to a server action.
  if (keys.includes("__proto__")) return "“__proto__” is reserved. Use another key.";
  const repeated = keys.find((key, index) => keys.indexOf(key) !== index);
  return repeated === undefined ? null : `The key “${repeated}” is used twice.`;
}

/**
 * The PATCH that turns `before` into `after`: new and changed values, and null for removed keys.
 */
export function metadataPatch(before: Metadata, after: Metadata): MetadataPatch {
  const changed = Object.entries(after).filter(([key, value]) => before[key] !== value);
  const gone = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
  return Object.fromEntries([...changed, ...gone.map((key) => [key, null] as const)]);
}

/**
 * Applies the changes that others made to the metadata in the meantime, key by key.
 * @returns the rows with the keys that only the others changed, and whether both changed a key
 */
export function rebaseMetadataRows(
  base: Metadata,
  mine: MetadataRow[],
  theirs: Metadata,
): { rows: MetadataRow[]; hasConflict: boolean } {
  const typed = fromMetadataRows(mine);
  const changed = Object.keys({ ...base, ...theirs }).filter(
    (key) => base[key] !== theirs[key] && typed[key] !== theirs[key],
  );
  const taken = new Set(changed.filter((key) => typed[key] === base[key]));
  const fresh = toMetadataRows(theirs)
    .filter(({ key }) => taken.has(key))
    // One of their rows may have been renamed in the meantime, and still have its id.
    .map((row) => ({ ...row, id: `theirs ${row.id}` }));
  return {
    rows: [...mine.filter(({ key }) => !taken.has(key.trim())), ...fresh],
    hasConflict: taken.size < changed.length,
  };
}
