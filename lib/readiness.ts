import { db } from "@/lib/db";
import { env } from "@/lib/env";

export type Readiness = {
  status: "ready" | "unavailable";
  database: "reachable" | "unreachable";
  /** Which clock sends deliveries. */
  clock: "embedded" | "inngest";
  /** How long the oldest delivery that is due has been waiting; 0 where none is, null where the database is away. */
  oldestDueDeliverySeconds: number | null;
};

/** Says nothing of any tenant: it is public. */
export async function readiness(): Promise<Readiness> {
  const clock = env().JOBS;
  try {
    const [row] = await db().$queryRaw<{ seconds: number }[]>`
      SELECT coalesce(extract(epoch FROM clock_timestamp() - min(next_attempt_at)), 0)::float8 AS seconds
      FROM (SELECT next_attempt_at FROM deliveries WHERE status = 'PENDING' AND next_attempt_at <= clock_timestamp()
        ORDER BY next_attempt_at LIMIT 1) AS oldest`;
    return { status: "ready", database: "reachable", clock, oldestDueDeliverySeconds: Math.round((row?.seconds ?? 0) * 10) / 10 };
  } catch {
    return { status: "unavailable", database: "unreachable", clock, oldestDueDeliverySeconds: null };
  }
}

/** What the two public probes answer, whichever server is asked. The first says that this process lives, the second that it can serve. */
export const probes = {
  "/health": async () => ({ status: 200, body: { status: "ok" } }),
  "/ready": async () => {
    const body = await readiness();
    return { status: body.status === "ready" ? 200 : 503, body };
  },
};
