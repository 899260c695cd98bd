import type { Document } from "@/lib/knowledge/documents/schema";
import { byteSize } from "@/lib/platform/byte-size";

/** The size of a document as text: what its deletion loses. */
export function formatDocumentSize({ sizeBytes, chunkCount }: Document): string {
  if (chunkCount === null) return byteSize(sizeBytes);
  return `${byteSize(sizeBytes)}, ${chunkCount === 1 ? "1 chunk" : `${chunkCount.toLocaleString("en")} chunks`}`;
}
