import { z } from "zod";
import { metadata, metadataPatch } from "@/lib/platform/metadata";
import {
  createdAt,
  environment,
  integer,
  nameText,
  storedText,
  updatedAt,
} from "@/lib/platform/schema";
import { idOf, idParameter } from "@/lib/resources/id-schema";
import { listQuery, pageOf } from "@/lib/resources/pages";
import type { Language } from "@/prisma/generated/enums";

export const languages = [
  "da",
  "de",
  "en",
  "es",
  "fi",
  "fr",
  "hu",
  "it",
  "nl",
  "no",
  "pt",
  "ro",
  "ru",
  "sv",
  "tr",
] as const satisfies Language[];

const language = z
  .enum(languages)
  .meta({ id: "Language", description: "The language of documents, as its two letters." });

/** In characters. */
export const longestBaseName = 200;

const described = {
  name: "The knowledge base's name. Unique in the environment.",
  description: "What the documents are about.",
  language:
    "The language of the documents. A search then finds every form of a word, and ignores the most common words. Without it, words match only as they are written. It cannot be changed later.",
};

export const createKnowledgeBaseBody = z.strictObject({
  name: nameText(longestBaseName).meta({ description: described.name }),
  description: z.string().max(2_000).nullish().meta({ description: described.description }),
  language: language.nullish().meta({ description: described.language }),
  metadata: metadata.default({}),
});

/** Without the language: the index of its documents depends on it. */
export const updateKnowledgeBaseBody = z.strictObject({
  name: nameText(longestBaseName).optional().meta({ description: described.name }),
  description: createKnowledgeBaseBody.shape.description,
  metadata: metadataPatch.optional(),
});

export const knowledgeBase = z
  .object({
    id: idOf("knowledgeBase"),
    environment,
    name: storedText(200, described.name),
    description: storedText(2_000, described.description).nullable(),
    language: language.nullable().meta({ description: described.language }),
    documentCounts: z
      .object({
        pending: integer("Documents that wait to be read."),
        processing: integer("Documents that are being read."),
        ready: integer("Documents that a search finds."),
        failed: integer("Documents that could not be read."),
      })
      .meta({ description: "How many documents the knowledge base has, by status." }),
    sizeBytes: integer("The size of all files together, in bytes."),
    metadata,
    createdAt,
    updatedAt,
  })
  .meta({ id: "KnowledgeBase", description: "Documents that your programs search together." });

/** The object of `knowledge_base.deleted`. */
export const deletedKnowledgeBase = z
  .object({ id: idOf("knowledgeBase"), environment })
  .meta({ description: "The id of the knowledge base." });

export const knowledgeBasePage = pageOf(knowledgeBase);
export const knowledgeBaseParams = z.object({ knowledgeBaseId: idParameter("knowledgeBase") });
export const listKnowledgeBasesQuery = listQuery("knowledgeBase", "desc", {});
/** The dashboard's list. */
export const sortKnowledgeBasesQuery = listKnowledgeBasesQuery.extend({
  sort: z.enum(["name", "sizeBytes"]).optional(),
});

export type CreateKnowledgeBase = z.output<typeof createKnowledgeBaseBody>;
export type UpdateKnowledgeBase = z.output<typeof updateKnowledgeBaseBody>;
export type KnowledgeBase = z.input<typeof knowledgeBase>;
export type SortKnowledgeBases = z.output<typeof sortKnowledgeBasesQuery>;
export type ListKnowledgeBases = z.output<typeof listKnowledgeBasesQuery>;
