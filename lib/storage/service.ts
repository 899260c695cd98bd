import type { Caller } from "@/lib/platform/caller";
import { limitReached } from "@/lib/platform/errors";
import { lockKind } from "@/lib/resources/lock-row";
import { planOf, planStorageBytes } from "@/lib/tenants/service";
import { warnOfRejectedUpload } from "./quota-warnings";
import { storedBytes } from "./stored-bytes";

/**
 * Call it before the bytes are added to a total. Until the transaction ends, no other one can add
 * to the environment's bytes.
 * @throws AppError `limit-reached` if the plan does not store that many
 */
export async function requireRoomForBytes(caller: Caller, sizeBytes: number): Promise<void> {
  await lockKind(caller, "stored_bytes");
  const limit = planStorageBytes[await planOf(caller)];
  const current = await storedBytes(caller);
  if (current + sizeBytes <= limit) return;
  warnOfRejectedUpload(caller.partition);
  const figures = [limit, current, sizeBytes].map((bytes) => bytes.toLocaleString("en"));
  const detail = `An environment on your plan stores at most ${figures[0]} bytes of documents and files. It stores ${figures[1]}, and this one has ${figures[2]}.`;
  throw limitReached(
    `${detail} Delete documents or conversations that you no longer need, or upgrade your plan.`,
    {
      limit,
      current,
    },
  );
}
