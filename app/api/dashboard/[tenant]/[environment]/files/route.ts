import { type PlaceParams, respondWithJson } from "@/app/api/dashboard/json-route";
import { receiveUpload } from "@/app/api/dashboard/receive-upload";
import { fileUploadFormat } from "@/lib/files/file-upload";
import { fileFields } from "@/lib/files/schema";
import { createFile } from "@/lib/files/service";
import { requireRole } from "@/lib/platform/roles";

/** Uploads a file for a message that is being written in the inbox. */
export async function POST(
  request: Request,
  { params }: { params: Promise<PlaceParams> },
): Promise<Response> {
  return respondWithJson(request, await params, async ({ identity }) => {
    // Checked before the body, which may have 20 MiB, is read.
    requireRole(identity, "MEMBER", "upload files");
    return receiveUpload(request, identity, fileUploadFormat, fileFields, createFile);
  });
}
