import { Readable } from "node:stream";
import { receiveFile } from "@/lib/blobs/incoming-file";
import { storeBlob } from "@/lib/blobs/service";
import { mutate, type Partition, system } from "@/lib/caller";
import type { ContentType } from "@/lib/documents/content-type";
import { createDocument } from "@/lib/documents/service";
import { createKnowledgeBase } from "@/lib/knowledge-bases/service";

/** A document that waits, in a knowledge base of its own, as the API leaves it. */
export async function newDocument(partition: Partition, content: string, contentType: ContentType = "text/plain") {
  const incoming = await receiveFile(Readable.from([Buffer.from(content)]), 20 * 1_024 ** 2);
  const blobKey = await storeBlob(partition, incoming);
  const name = `Base ${Math.random()}`;
  return mutate(system(partition), async (caller) => {
    const base = await createKnowledgeBase(caller, { name, metadata: {} });
    const file = { blobKey, contentType, sizeBytes: incoming.sizeBytes, sha256: incoming.sha256 };
    return createDocument(caller, base.id, { name: "Document", metadata: {} }, file);
  });
}
