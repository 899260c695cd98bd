import { unstable_rethrow } from "next/navigation";
import { type PlaceParams, problemResponse, respondWithJson } from "@/app/api/dashboard/json-route";
import { receiveUpload } from "@/app/api/dashboard/receive-upload";
import { dashboardCaller } from "@/lib/auth/dashboard-caller";
import { throttleDashboard } from "@/lib/auth/throttle-dashboard";
import { replaceDocument } from "@/lib/knowledge/documents/change-document";
import { replacementUploadFormat } from "@/lib/knowledge/documents/document-upload";
import { replaceDocumentFields } from "@/lib/knowledge/documents/schema";
import { getDocument, getDocumentFile } from "@/lib/knowledge/documents/service";
import { reader } from "@/lib/platform/caller";
import { requireRole } from "@/lib/platform/roles";

type Context = { params: Promise<PlaceParams & { knowledgeBaseId: string; documentId: string }> };

/** Downloads the file: links lead here, and on to a new link that is valid for 5 minutes. */
export async function GET(request: Request, { params }: Context): Promise<Response> {
  const { tenant, environment, knowledgeBaseId, documentId } = await params;
  try {
    const { caller, ...place } = await dashboardCaller(tenant, environment);
    await throttleDashboard(place.user.id, place.tenant.id);
    const { url } = await getDocumentFile(caller, knowledgeBaseId, documentId);
    return new Response(null, {
      status: 302,
      headers: { Location: String(url), "Cache-Control": "private, no-store" },
    });
  } catch (error) {
    // Next throws redirects and not-found pages, too.
    unstable_rethrow(error);
    return problemResponse(error, request);
  }
}

/** Uploads a file that replaces the document's. */
export async function POST(request: Request, { params }: Context): Promise<Response> {
  const { knowledgeBaseId, documentId, ...place } = await params;
  return respondWithJson(request, place, async ({ identity }) => {
    // Checked before the body, which may have 20 MiB, is read.
    requireRole(identity, "MEMBER", "replace documents");
    await getDocument(reader(identity), knowledgeBaseId, documentId);
    return receiveUpload(
      request,
      identity,
      replacementUploadFormat,
      replaceDocumentFields,
      (caller, fields, file) => replaceDocument(caller, knowledgeBaseId, documentId, fields, file),
    );
  });
}
