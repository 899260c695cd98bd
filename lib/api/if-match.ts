import { preconditionFailed, type ValidationIssue } from "@/lib/platform/errors";
import { etagOf, isKnownVersion } from "./encode";
import type { Declaration } from "./operation";
import { serializerOf } from "./perform";
import type { ApiRequest } from "./read-request";

/** What `If-Match` requires of a change. */
type Precondition = {
  header?: string;
  issues: ValidationIssue[];
  /** @throws AppError `precondition-failed`. See `Identity` in lib/platform/caller.ts. */
  requireMatch?: (current: object | null) => void;
};

const none: Precondition = { issues: [] };

const maximumLength = 1_000;
const entityTag = '(?:W/)?"[\\x21\\x23-\\x7e]*"';
const pattern = new RegExp(`^(?:\\*|${entityTag}(?:[ \\t]*,[ \\t]*${entityTag})*)$`);

/** Reads `If-Match`. Operations that name no resource in `versionOf` ignore it. */
export function readIfMatch({ headers }: ApiRequest, { versionOf }: Declaration): Precondition {
  const header = versionOf ? headers.get("if-match") : null;
  if (header === null || !versionOf) return none;
  if (header.length > maximumLength || !pattern.test(header)) return { issues: [malformed] };
  const serialize = serializerOf({ response: versionOf });
  const requireMatch = (current: object | null) => {
    if (!current) throw preconditionFailed({ exists: false });
    // Weak tags match, too. Ours are weak if the response was compressed, and name the same version.
    if (!isKnownVersion(header, etagOf(serialize(current)))) throw preconditionFailed();
  };
  return { header, issues: [], requireMatch };
}

const malformed: ValidationIssue = {
  pointer: "/If-Match",
  location: "header",
  code: "invalid_format",
  predicate: 'must be an ETag in double quotes, several separated by commas, or "*"',
};
