"use server";

import { z } from "zod";
import { type ActionPlace, act, trimmedFields } from "@/app/(dashboard)/run-action";
import { createKnowledgeBaseBody } from "@/lib/knowledge/bases/schema";
import { createKnowledgeBase } from "@/lib/knowledge/bases/service";
import { deleteDocument, retryDocument } from "@/lib/knowledge/documents/service";

const documentInBase = z.strictObject({
  knowledgeBaseId: z.string().max(100),
  id: z.string().max(100),
});

export async function createKnowledgeBaseAction(place: ActionPlace, sent: FormData) {
  return act(place, createKnowledgeBaseBody, trimmedFields(sent), async (caller, input) => {
    const { id } = await createKnowledgeBase(caller, input);
    return { id };
  });
}

export async function retryDocumentAction(place: ActionPlace, knowledgeBaseId: string, id: string) {
  return act(place, documentInBase, { knowledgeBaseId, id }, async (caller, document) => {
    await retryDocument(caller, document.knowledgeBaseId, document.id);
    return null;
  });
}

export async function deleteDocumentAction(
  place: ActionPlace,
  knowledgeBaseId: string,
  id: string,
) {
  return act(place, documentInBase, { knowledgeBaseId, id }, async (caller, document) => {
    await deleteDocument(caller, document.knowledgeBaseId, document.id);
    return null;
  });
}
