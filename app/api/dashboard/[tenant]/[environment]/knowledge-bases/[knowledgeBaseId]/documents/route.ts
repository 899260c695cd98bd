import { type PlaceParams, respondWithJson } from "@/app/api/dashboard/json-route";
import { readUpload } from "@/lib/api/read-upload";
import { check } from "@/lib/api/validate";
import { getKnowledgeBase } from "@/lib/knowledge/bases/service";
import { documentUploadFormat } from "@/lib/knowledge/documents/document-upload";
import { documentFields } from "@/lib/knowledge/documents/schema";
import { createDocument } from "@/lib/knowledge/documents/service";
import { withStoredFile } from "@/lib/platform/blobs/service";
import { mutate, reader } from "@/lib/platform/caller";
import { invalidRequest } from "@/lib/platform/errors";
import { requireRole } from "@/lib/platform/roles";

type Context = { params: Promise<PlaceParams & { knowledgeBaseId: string }> };

/**
 * Uploads a document from the dashboard, in the same way as the API but for a signed-in user. This
 * is a route, because a server action would hold the whole body in memory.
 */
export async function POST(request: Request, { params }: Context): Promise<Response> {
  const { knowledgeBaseId, ...place } = await params;
  return respondWithJson(request, place, async ({ identity }) => {
    // Checked before the body, which may have 20 MiB, is read.
    requireRole(identity, "MEMBER", "upload documents");
    await getKnowledgeBase(reader(identity), knowledgeBaseId);
    const { file, value, schema, issues } = await readUpload(request, documentUploadFormat, {
      formSchema: documentFields,
      onBytes: () => {},
    });
    try {
      const checked = check(schema ?? documentFields, value, "body");
      const found = [...issues, ...checked.issues];
      if (found.length > 0 || !file) throw invalidRequest(found);
      return await withStoredFile(identity.partition, file, (stored) =>
        mutate(identity, (caller) =>
          createDocument(caller, knowledgeBaseId, documentFields.parse(checked.output), stored),
        ),
      );
    } finally {
      await file?.incoming.discard();
    }
  });
}
