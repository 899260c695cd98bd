import type { Document } from "@/lib/knowledge/documents/schema";
import { byteSize } from "@/lib/platform/byte-size";

/** How much there is of a document, in words: what is lost with it. */
export function formatDocumentSize({ sizeBytes, chunkCount }: Document): string {
  if (chunkCount === null) return byteSize(sizeBytes);
  return `${byteSize(sizeBytes)}, ${chunkCount === 1 ? "1 chunk" : `${chunkCount.toLocaleString("en")} chunks`}`;
}
