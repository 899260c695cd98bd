import { operation } from "@/lib/api/operation";
import { fileUploadFormat } from "@/lib/files/file-upload";
import { file, fileFields } from "@/lib/files/schema";
import { createFile } from "@/lib/files/service";

export const POST = operation({
  operationId: "createFile",
  summary: "Upload a file",
  description:
    "Send a file of any type as `multipart/form-data`, at most 20 MiB, or text as JSON. Then post a message with its id in `attachments`. A file that no message has after 24 hours is deleted.",
  scope: "write:conversations",
  status: 201,
  body: fileFields,
  upload: fileUploadFormat,
  response: file,
  problems: ["limit-reached"],
  run: ({ caller, body, file }) => createFile(caller, body, file),
});
