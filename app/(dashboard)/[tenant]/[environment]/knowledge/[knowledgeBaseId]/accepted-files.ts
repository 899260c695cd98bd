import { maximumDocumentBytes } from "@/lib/knowledge/documents/schema";
import { byteSize } from "@/lib/platform/byte-size";

/** The accepted formats and the maximum size, in words. */
export const acceptedFiles = `PDF, Word, Markdown, HTML, CSV, JSON or plain text, at most ${byteSize(maximumDocumentBytes)} each.`;
