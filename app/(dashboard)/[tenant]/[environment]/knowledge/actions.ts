"use server";

import { z } from "zod";
import { type ActionPlace, act } from "@/app/(dashboard)/run-action";
import { createKnowledgeBaseBody, updateKnowledgeBaseBody } from "@/lib/knowledge/bases/schema";
import {
  createKnowledgeBase,
  deleteKnowledgeBase,
  updateKnowledgeBase,
} from "@/lib/knowledge/bases/service";
import { retryDocument, updateDocument } from "@/lib/knowledge/documents/change-document";
import { updateDocumentBody } from "@/lib/knowledge/documents/schema";
import { deleteDocument } from "@/lib/knowledge/documents/service";
import { trimmedFields } from "@/lib/platform/form-fields";

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

export async function updateKnowledgeBaseAction(place: ActionPlace, id: string, patch: unknown) {
  return act(place, updateKnowledgeBaseBody, patch, async (caller, input) => {
    await updateKnowledgeBase(caller, id, input);
    return null;
  });
}

export async function updateDocumentAction(
  place: ActionPlace,
  knowledgeBaseId: string,
  id: string,
  patch: unknown,
) {
  return act(place, updateDocumentBody, patch, async (caller, input) => {
    await updateDocument(caller, knowledgeBaseId, id, input);
    return null;
  });
}

export async function deleteKnowledgeBaseAction(place: ActionPlace, id: string) {
  return act(place, z.string().max(100), id, async (caller, knowledgeBaseId) => {
    await deleteKnowledgeBase(caller, knowledgeBaseId);
    return null;
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
