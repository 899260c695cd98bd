import { type PlaceParams, respondWithJson } from "@/app/api/dashboard/json-route";
import { receiveUpload } from "@/app/api/dashboard/receive-upload";
import { getKnowledgeBase } from "@/lib/knowledge/bases/service";
import { documentUploadFormat } from "@/lib/knowledge/documents/document-upload";
import { documentFields } from "@/lib/knowledge/documents/schema";
import { createDocument } from "@/lib/knowledge/documents/service";
import { reader } from "@/lib/platform/caller";
import { requireRole } from "@/lib/platform/roles";

type Context = { params: Promise<PlaceParams & { knowledgeBaseId: string }> };

/** Uploads a document. */
export async function POST(request: Request, { params }: Context): Promise<Response> {
  const { knowledgeBaseId, ...place } = await params;
  return respondWithJson(request, place, async ({ identity }) => {
    // Checked before the body, which may have 20 MiB, is read.
    requireRole(identity, "MEMBER", "upload documents");
    await getKnowledgeBase(reader(identity), knowledgeBaseId);
    return receiveUpload(
      request,
      identity,
      documentUploadFormat,
      documentFields,
      (caller, fields, file) => createDocument(caller, knowledgeBaseId, fields, file),
    );
  });
}
