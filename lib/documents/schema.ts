import { z } from "zod";
import { commaList, idOf, idParameter, listQuery, metadata, nameText, pageOf, text, timestamp } from "@/lib/schema";
import type { DocumentStatus } from "@/prisma/generated/enums";
import { contentTypes } from "./content-type";

export const maximumDocumentBytes = 20 * 1_024 ** 2;

export const documentStatuses = ["PENDING", "PROCESSING", "READY", "FAILED"] as const satisfies DocumentStatus[];

/** Why a document could not be read, and the sentence that says so. */
export const documentErrors = {
  empty: "There is no text in the file.",
  encrypted: "The file is protected by a password.",
  invalid_file: "The file is damaged, or not what it says it is.",
  too_large: "Unpacked, the file is larger than can be read.",
  timeout: "Reading the file took too long.",
  internal: "Something went wrong on our side. Try again.",
} as const;

export type DocumentErrorCode = keyof typeof documentErrors;

const documentErrorCodes = Object.keys(documentErrors) as [DocumentErrorCode, ...DocumentErrorCode[]];

const name = nameText(255);

/** What may stand beside a file. Without a name, the document is called as the file is. */
export const documentFields = z.strictObject({ name: name.optional(), metadata: metadata.default({}) });

/** The other way to make a document: its text as JSON. */
export const createTextDocumentBody = z.strictObject({ name, text: z.string().min(1), metadata: metadata.default({}) });

export const document = z
  .object({
    id: idOf("document"),
    knowledgeBaseId: idOf("knowledgeBase"),
    name: z.string(),
    contentType: z.enum(contentTypes),
    sizeBytes: z.number().int(),
    sha256: z.string().meta({ description: "Of the file, in hexadecimal." }),
    status: z.enum(documentStatuses),
    error: z.object({ code: z.enum(documentErrorCodes), message: z.string() }).nullable(),
    characterCount: z.number().int().nullable().meta({ description: "Of the text that was found in the file." }),
    chunkCount: z.number().int().nullable(),
    metadata,
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: "Document" });

export const documentPage = pageOf(document);
export const documentParams = z.object({ knowledgeBaseId: idParameter("knowledgeBase"), documentId: idParameter("document") });
export const listDocumentsQuery = listQuery("document", "desc", {
  status: commaList(documentStatuses).optional().meta({ description: "One status or several, separated by commas." }),
});

export const searchQuery = z.strictObject({
  q: text(500).trim().min(1).meta({
    description: 'Words that all occur; "several words" in this order, `or` between alternatives, `-` before what must not occur.',
  }),
  limit: z
    .string()
    .regex(/^[1-9][0-9]{0,8}$/, "is a whole number from 1 to 50")
    .transform((text) => Math.min(Number(text), 50))
    .default(10)
    .meta({
      description: "Documents at the most: 1 to 50. A larger figure is taken as 50.",
      // What the text in the query is to be read as.
      type: "integer",
      minimum: 1,
      pattern: undefined,
      default: 10,
    }),
});

export const searchResults = z.object({
  data: z.array(
    z
      .object({
        documentId: idOf("document"),
        name: z.string(),
        excerpt: z.string().meta({ description: "HTML: escaped text, in which `<mark>` surrounds what was found." }),
        score: z.number().meta({ description: "From 0 to 1, the best first. Only to be compared within one answer." }),
      })
      .meta({ id: "SearchResult" }),
  ),
});

export type DocumentFields = z.output<typeof documentFields>;
export type Document = z.input<typeof document>;
export type ListDocuments = z.output<typeof listDocumentsQuery>;
export type Search = z.output<typeof searchQuery>;
export type SearchResults = z.input<typeof searchResults>;
