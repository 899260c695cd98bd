import { z } from "zod";
import { environment, idOf, idParameter, listQuery, metadata, nameText, pageOf, timestamp } from "@/lib/schema";

export const createKnowledgeBaseBody = z.strictObject({
  name: nameText(200).meta({ description: "Unique in the environment." }),
  description: z.string().max(2_000).nullish(),
  metadata: metadata.default({}),
});

export const knowledgeBase = z
  .object({
    id: idOf("knowledgeBase"),
    environment,
    name: z.string(),
    description: z.string().nullable(),
    documentCounts: z.object({
      pending: z.number().int(),
      processing: z.number().int(),
      ready: z.number().int(),
      failed: z.number().int(),
    }),
    sizeBytes: z.number().int().meta({ description: "Of all files together." }),
    metadata,
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: "KnowledgeBase" });

export const knowledgeBasePage = pageOf(knowledgeBase);
export const knowledgeBaseParams = z.object({ knowledgeBaseId: idParameter("knowledgeBase") });
export const listKnowledgeBasesQuery = listQuery("knowledgeBase", "desc", {});

export type CreateKnowledgeBase = z.output<typeof createKnowledgeBaseBody>;
export type KnowledgeBase = z.input<typeof knowledgeBase>;
export type ListKnowledgeBases = z.output<typeof listKnowledgeBasesQuery>;
