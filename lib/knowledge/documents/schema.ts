import { z } from "zod";
import { metadata, metadataPatch } from "@/lib/platform/metadata";
import {
  commaList,
  createdAt,
  distinct,
  integer,
  nameText,
  storedText,
  text,
  textRanges,
  timestamp,
  updatedAt,
} from "@/lib/platform/schema";
import { idOf, idParameter, reference } from "@/lib/resources/id-schema";
import { limitParameter, listQuery, pageOf } from "@/lib/resources/pages";
import type { DocumentStatus } from "@/prisma/generated/enums";
import { contentTypes } from "./content-type";

/** Of a part of a document, in characters. Most are much shorter. */
const maximumPartLength = 1_000;

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

const described = {
  name: "The document's name.",
  text: "The text that searches find, in place of a file.",
};
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

export const updateDocumentBody = z.strictObject({
  name: name.optional(),
  metadata: metadataPatch.optional(),
});

/** The field next to a file that replaces another. Without it, the document gets the file's name. */
export const replaceDocumentFields = z.strictObject({ name: name.optional() });

export const replaceWithTextBody = createTextDocumentBody.omit({ metadata: true });

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
    characterCount: integer(
      "The length of the document's text, in characters. Null until the text has been read. While a new file is being read, this is the length of the earlier text.",
    ).nullable(),
    chunkCount: integer(
      "The number of parts that the text was split into for the search. Null until the document has been `READY`.",
    ).nullable(),
    metadata,
    createdAt,
    updatedAt,
  })
  .meta({ id: "Document", description: "A document of a knowledge base." });

/** The file of a document, as it was uploaded. */
export const documentFile = z
  .object({
    documentId: idOf("document"),
    name: storedText(255, described.name),
    contentType,
    sizeBytes: integer("The file's size, in bytes."),
    sha256: document.shape.sha256,
    url: storedText(2_048, "A link to download the file, for anyone who has it.").nullable(),
    urlExpiresAt: timestamp
      .nullable()
      .meta({ description: "When the link stops working: 5 minutes after the response." }),
  })
  .meta({ id: "DocumentFile", description: "The uploaded file of a document." });

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

export const matches = ["all", "any"] as const;

export const searchKnowledgeBody = z.strictObject({
  q: text(500)
    .trim()
    .min(1)
    .meta({
      description:
        'The words to find. Use "several words" for a phrase, and `-` before a word that must not occur.',
      examples: ["free returns"],
    }),
  knowledgeBaseIds: distinct(z.array(reference("knowledgeBase")).min(1).max(20)).meta({
    description: "The knowledge bases to search, such as those of an agent.",
  }),
  match: z.enum(matches).default("all").meta({
    id: "KnowledgeMatch",
    description:
      "Whether a part must contain `all` words, with `or` between alternatives, or `any` of them. Parts with more of the words come first.",
  }),
  limit: z
    .int()
    .min(1)
    .max(50)
    .default(10)
    .meta({ description: "The most results to return: 1 to 50." }),
  neighbors: z.int().min(0).max(5).default(0).meta({
    description: "How many parts before and after each result to return with it.",
  }),
});

const partText = z.string().meta({ maxLength: maximumPartLength });

export const knowledgeHits = z.object({
  data: z
    .array(
      z
        .object({
          knowledgeBaseId: idOf("knowledgeBase"),
          documentId: idOf("document"),
          name: storedText(255, described.name),
          position: integer("The number of the part in its document, from 0."),
          text: storedText(maximumPartLength, "The part of the document, as plain text."),
          ranges: textRanges(
            maximumPartLength,
            "Where the words of the query are in `text`: JavaScript's `text.slice(start, end)` for each range.",
          ),
          before: z.array(partText).meta({
            description:
              "The parts before it, in their order. Each part may repeat the last sentence of the one before.",
            maxItems: 5,
          }),
          after: z
            .array(partText)
            .meta({ description: "The parts after it, in their order.", maxItems: 5 }),
          score: z.number().meta({
            description: "From 0 to 1, the best first. Comparable only within one response.",
          }),
        })
        .meta({ id: "KnowledgeHit", description: "A part of a document that matches a search." }),
    )
    .meta({ description: "The parts that match, best first.", maxItems: 50 }),
});

export type SearchKnowledge = z.output<typeof searchKnowledgeBody>;
export type KnowledgeHits = z.input<typeof knowledgeHits>;
export type KnowledgeHit = KnowledgeHits["data"][number];
export type DocumentFields = z.output<typeof documentFields>;
export type UpdateDocument = z.output<typeof updateDocumentBody>;
export type ReplaceDocumentFields = z.output<typeof replaceDocumentFields>;
export type DocumentFile = z.input<typeof documentFile>;
export type Document = z.input<typeof document>;
export type ListDocuments = z.output<typeof listDocumentsQuery>;
export type Search = z.output<typeof searchQuery>;
export type SearchResults = z.input<typeof searchResults>;
