import type { Caller } from "@/lib/platform/caller";

/** Bytes of all documents and files in the environment. */
export async function storedBytes({ db, partition }: Caller): Promise<number> {
  const { _sum } = await db.storageDay.aggregate({ where: partition, _sum: { sizeBytes: true } });
  return Number(_sum.sizeBytes ?? 0);
}
