import type { Partition } from "@/lib/platform/caller";
import { invalidBody } from "@/lib/platform/errors";
import { openSecret, sealSecret, webhookHeadersContext } from "@/lib/platform/secret-box";
import {
  type HeadersPatch,
  maximumHeaderBytes,
  maximumHeaders,
  tooLargeHeaders,
  tooManyHeaders,
} from "./headers-schema";

type CustomHeaders = Record<string, string>;

const unchanged = { columns: {}, changedNames: [] as string[] };

/**
 * The columns of a webhook after a patch of its custom headers, and the names of those that change.
 * Names are compared without case, and written as they were sent last.
 * @param patch null removes all headers, even if they can no longer be opened
 * @throws AppError `validation` if the result has too many headers or is too large
 */
export function patchHeaders(
  partition: Partition,
  stored: { id: string; headerNames: string[]; sealedHeaders: string | null },
  patch: HeadersPatch | null | undefined,
) {
  if (patch === undefined) return unchanged;
  if (patch === null)
    return {
      columns: { headerNames: [], sealedHeaders: null },
      changedNames: stored.headerNames,
    };
  // The dashboard's form sends an empty patch with every other change.
  if (Object.keys(patch).length === 0) return unchanged;
  const context = webhookHeadersContext(partition, stored.id);
  const before: CustomHeaders = stored.sealedHeaders
    ? JSON.parse(openSecret(stored.sealedHeaders, context))
    : {};
  const merged = new Map(Object.entries(before).map((entry) => [entry[0].toLowerCase(), entry]));
  const changedNames: string[] = [];
  for (const [name, value] of Object.entries(patch)) {
    const key = name.toLowerCase();
    const previous = merged.get(key);
    if (value === null ? !previous : previous?.[0] === name && previous[1] === value) continue;
    changedNames.push(name);
    if (value === null) merged.delete(key);
    else merged.set(key, [name, value]);
  }
  if (changedNames.length === 0) return unchanged;
  const headers = [...merged.values()];
  if (headers.length > maximumHeaders) throw invalidBody("/headers", "too_big", tooManyHeaders);
  if (headers.flat().join("").length > maximumHeaderBytes)
    throw invalidBody("/headers", "too_big", tooLargeHeaders);
  const json = JSON.stringify(Object.fromEntries(headers));
  return {
    columns: {
      headerNames: headers.map(([name]) => name),
      sealedHeaders: headers.length > 0 ? sealSecret(json, context) : null,
    },
    changedNames,
  };
}
