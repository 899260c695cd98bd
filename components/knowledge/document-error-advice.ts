import type { DocumentErrorCode } from "@/lib/knowledge/documents/schema";

/** What to do about each reason for a failure. */
export const documentAdvice: Record<DocumentErrorCode, string> = {
  empty:
    "Scanned pages are images. Run text recognition (OCR) on the file, then upload the result.",
  encrypted: "Remove the password, then upload it again.",
  invalid_file: "Open the file, save it again, and upload the new copy.",
  too_large: "Split the file and upload the parts.",
  timeout: "Retry. If it times out again, split the file.",
  internal: "Retry. The file is stored, so you do not have to upload it again.",
};
