import { Readable } from "node:stream";
import { createKnowledgeBase } from "@/lib/knowledge/bases/service";
import type { ContentType } from "@/lib/knowledge/documents/content-type";
import { createDocument } from "@/lib/knowledge/documents/service";
import { receiveFile } from "@/lib/platform/blobs/incoming-file";
import { storeBlob } from "@/lib/platform/blobs/service";
import { mutate, type Partition, system } from "@/lib/platform/caller";

/** A pending document in a new knowledge base, as the API creates it. */
export async function newDocument(
  partition: Partition,
  content: string,
  contentType: ContentType = "text/plain",
) {
  const incoming = await receiveFile(Readable.from([Buffer.from(content)]), 20 * 1_024 ** 2);
  const blobKey = await storeBlob(partition, incoming);
  const name = `Base ${Math.random()}`;
  return mutate(system(partition), async (caller) => {
    const base = await createKnowledgeBase(caller, { name, metadata: {} });
    const file = { blobKey, contentType, sizeBytes: incoming.sizeBytes, sha256: incoming.sha256 };
    return createDocument(caller, base.id, { name: "Document", metadata: {} }, file);
  });
}
