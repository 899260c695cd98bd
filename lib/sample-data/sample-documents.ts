import { Readable } from "node:stream";
import { maximumDocumentBytes } from "@/lib/knowledge/documents/schema";
import { receiveFile } from "@/lib/platform/blobs/incoming-file";
import { type StoredFile, withStoredFile } from "@/lib/platform/blobs/service";
import type { Partition } from "@/lib/platform/caller";

export const sampleKnowledgeBase = {
  name: "Sample: shop help",
  description: "Three short documents to search.",
  language: "en",
} as const;

type SampleDocument = { name: string; text: string };

const sampleDocuments: SampleDocument[] = [
  {
    name: "shipping.md",
    text: `# Shipping

Orders leave our warehouse within one working day. Delivery takes two to four working days.

## Tracking

The email with the tracking link is sent when the parcel leaves the warehouse. If the link shows nothing for three days, the order is shipped again without charge.
`,
  },
  {
    name: "returns.md",
    text: `# Returns

Unused lamps can be returned within 30 days. We pay for the return label.

## Defects

A lamp that flickers or arrives broken is replaced. Ask the customer for a short video and the order number first.
`,
  },
  {
    name: "invoices.md",
    text: `# Invoices

Every order has an invoice, which is attached to the confirmation.

## VAT number

A VAT number can be added until the end of the month. Send it with the order number, and we issue the invoice again.
`,
  },
];

/** A document's name, and its text in the store. */
export type SampleFile = { name: string; file: StoredFile };

/**
 * Stores the texts of the sample documents, then runs the transaction that adds them. Those that it
 * does not add are removed.
 */
export function withSampleFiles<Result>(
  partition: Partition,
  work: (files: SampleFile[]) => Promise<Result>,
): Promise<Result> {
  return storeEach(partition, sampleDocuments, [], work);
}

async function storeEach<Result>(
  partition: Partition,
  [next, ...others]: SampleDocument[],
  stored: SampleFile[],
  work: (files: SampleFile[]) => Promise<Result>,
): Promise<Result> {
  if (!next) return work(stored);
  const { name, text } = next;
  const incoming = await receiveFile(Readable.from([Buffer.from(text)]), maximumDocumentBytes);
  try {
    return await withStoredFile(partition, { incoming, contentType: "text/markdown" }, (file) =>
      storeEach(partition, others, [...stored, { name, file }], work),
    );
  } finally {
    await incoming.discard();
  }
}
