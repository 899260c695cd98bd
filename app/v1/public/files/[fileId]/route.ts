import { operation } from "@/lib/api/operation";
import { file, fileParams } from "@/lib/files/schema";
import { getFile } from "@/lib/files/service";

export const GET = operation({
  operationId: "getFile",
  summary: "Get a file, with a new link to download it",
  scope: "read:conversations",
  params: fileParams,
  response: file,
  withoutLinks: (found) => ({ ...found, url: null, urlExpiresAt: null }),
  run: ({ caller, params }) => getFile(caller, params.fileId),
});
