import { z } from "zod";
import { metadata } from "@/lib/platform/metadata";
import {
  commaList,
  createdAt,
  integer,
  nameText,
  storedText,
  text,
  textRanges,
  updatedAt,
} from "@/lib/platform/schema";
import { idOf, idParameter } from "@/lib/resources/id-schema";
import { limitParameter, listQuery, pageOf } from "@/lib/resources/pages";
import type { DocumentStatus } from "@/prisma/generated/enums";
import { contentTypes } from "./content-type";

export const maximumDocumentBytes = 20 * 1_024 ** 2;

export const documentStatuses = [
  "PENDING",
  "PROCESSING",
  "READY",
  "FAILED",
] as const satisfies DocumentStatus[];

/** Why a document could not be read, with a sentence for users. */
export const documentErrors = {
  empty: "There is no text in the file.",
  encrypted: "The file is protected by a password.",
  invalid_file: "The file is damaged, or its content does not match its type.",
  too_large: "The unpacked file is too large to be read.",
  timeout: "Reading the file took too long.",
  internal: "Something went wrong on our side. Try again.",
} as const;

export type DocumentErrorCode = keyof typeof documentErrors;

const documentErrorCodes = Object.keys(documentErrors) as [
  DocumentErrorCode,
  ...DocumentErrorCode[],
];

const described = { name: "The document's name.", text: "The document's text." };
const name = nameText(255).meta({ description: described.name });
const status = z.enum(documentStatuses).meta({
  id: "DocumentStatus",
  description:
    "`PENDING` and `PROCESSING` until the text has been read, then `READY`, or `FAILED` with an `error`.",
});
const contentType = z
  .enum(contentTypes)
  .meta({ id: "DocumentContentType", description: "The file's type, by its content." });
const errorCode = z
  .enum(documentErrorCodes)
  .meta({ id: "DocumentErrorCode", description: "Why the document could not be read." });

/** The fields next to a file. Without a name, the document gets the name of the file. */
export const documentFields = z.strictObject({
  name: name.optional(),
  metadata: metadata.default({}),
});

/** The other way to create a document: its text as JSON. */
export const createTextDocumentBody = z.strictObject({
  name,
  text: z.string().min(1).meta({ description: described.text, maxLength: 262_144 }),
  metadata: metadata.default({}),
});

export const document = z
  .object({
    id: idOf("document"),
    knowledgeBaseId: idOf("knowledgeBase"),
    name: storedText(255, described.name),
    contentType,
    sizeBytes: integer("The file's size, in bytes."),
    sha256: z.string().meta({
      description: "The file's SHA-256 digest, in hexadecimal.",
      pattern: "^[0-9a-f]{64}$",
      maxLength: 64,
    }),
    status,
    error: z
      .object({ code: errorCode, message: storedText(200, "The reason, as a sentence.") })
      .nullable()
      .meta({ description: "Why the document could not be read, if its status is `FAILED`." }),
    characterCount: integer("The length of the text in the file, in characters.").nullable(),
    chunkCount: integer("How many parts the text was cut into for the search.").nullable(),
    metadata,
    createdAt,
    updatedAt,
  })
  .meta({ id: "Document", description: "A document of a knowledge base." });

export const documentPage = pageOf(document);
export const documentParams = z.object({
  knowledgeBaseId: idParameter("knowledgeBase"),
  documentId: idParameter("document"),
});
export const listDocumentsQuery = listQuery("document", "desc", {
  status: commaList(documentStatuses)
    .optional()
    .meta({ description: "One status or several, separated by commas." }),
});

export const searchQuery = z.strictObject({
  q: text(500).trim().min(1).meta({
    description:
      'The words to find, all of them. Use "several words" for a phrase, `or` between alternatives, and `-` before a word that must not occur.',
  }),
  limit: limitParameter("Documents at most", 50, 10),
});

export const searchResults = z.object({
  data: z
    .array(
      z
        .object({
          documentId: idOf("document"),
          name: storedText(255, described.name),
          text: storedText(20_000, "The part of the document that fits best, as plain text."),
          ranges: textRanges(
            20_000,
            "Where the words of the query are in `text`: JavaScript's `text.slice(start, end)` for each range.",
          ),
          score: z.number().meta({
            description: "From 0 to 1, the best first. Comparable only within one response.",
          }),
          excerpt: storedText(
            20_000,
            "`text` as escaped HTML with `<mark>` around the ranges. For web pages only: a program uses `text`.",
          ),
        })
        .meta({ id: "SearchResult", description: "A document that matches a search." }),
    )
    .meta({ description: "The documents that match, best first.", maxItems: 50 }),
});

export type DocumentFields = z.output<typeof documentFields>;
export type Document = z.input<typeof document>;
export type ListDocuments = z.output<typeof listDocumentsQuery>;
export type Search = z.output<typeof searchQuery>;
export type SearchResults = z.input<typeof searchResults>;
