import { byteSize } from "@/lib/byte-size";
import type { Document } from "@/lib/documents/schema";

/** How much there is of a document, in words: what is lost with it. */
export function extentOf({ sizeBytes, chunkCount }: Document): string {
  if (chunkCount === null) return byteSize(sizeBytes);
  return `${byteSize(sizeBytes)}, ${chunkCount === 1 ? "1 chunk" : `${chunkCount.toLocaleString("en")} chunks`}`;
}
