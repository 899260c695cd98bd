import { closeDatabase } from "@/lib/platform/db";
import { env } from "@/lib/platform/env";

/** The services of this process use these servers from now on. */
export async function actInDatabase(
  addresses: Partial<Record<"DATABASE_URL" | "DATABASE_REPLICA_URL", string | undefined>>,
): Promise<void> {
  // Before the connections are closed: what runs in the background, such as writing request logs,
  // may open new ones meanwhile.
  Object.assign(env(), addresses);
  await closeDatabase();
}
