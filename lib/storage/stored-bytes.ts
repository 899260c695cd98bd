import type { Caller } from "@/lib/platform/caller";

/** Bytes of all documents and files in the environment. */
export async function storedBytes({ db, partition }: Caller): Promise<number> {
  const documents = await db.knowledgeBase.aggregate({
    where: partition,
    _sum: { sizeBytes: true },
  });
  const files = await db.fileTotal.findUnique({ where: { tenantId_environment: partition } });
  return Number(documents._sum.sizeBytes ?? 0) + Number(files?.sizeBytes ?? 0);
}
