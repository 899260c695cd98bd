import { z } from "zod";
import { type IdKind, idPrefixes, isId } from "./ids";
import { nouns } from "./registry";

const exampleId = (kind: IdKind) => `${idPrefixes[kind]}_01KA5V0V7W3Y5Z8J4QX2N6M9TC`;

export const describedId = (kind: IdKind) => ({
  description: `The id of the ${nouns[kind].label}.`,
  examples: [exampleId(kind)],
  pattern: `^${idPrefixes[kind]}_[0-9A-HJKMNP-TV-Z]{26}$`,
  maxLength: idPrefixes[kind].length + 27,
});

/** An id in a response. */
export const idOf = (kind: IdKind) => z.string().meta(describedId(kind));

/** An id in a path. A malformed id gets the same 404 as one that does not exist. */
export const idParameter = (kind: IdKind) =>
  z
    .string()
    .refine((value) => isId(kind, value), { params: { kind: "not-found", idKind: kind } })
    .meta(describedId(kind));

/** A reference in a body. The service checks whether it exists in the caller's partition. */
export const reference = (kind: IdKind) =>
  z
    .string()
    .refine((value) => isId(kind, value), `must be an id that starts with ${idPrefixes[kind]}_`)
    .meta(describedId(kind));

export const deleted = (kind: IdKind) =>
  z.object({ id: idOf(kind), deleted: z.literal(true).meta({ description: "Always true." }) });
