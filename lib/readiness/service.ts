import { poolStuckMs, runStatement } from "@/lib/platform/db";
import { isDatabaseFull } from "@/lib/platform/disk-full";
import { env } from "@/lib/platform/env";
import { oldestExpired } from "@/lib/retention/purge-expired";
import { deliveryReadinessStatement } from "./service.sql";

/** More of a kind are not counted, so that asking costs the same whatever is waiting. */
export const mostCountedDeliveries = 10_000;

export type Readiness = {
  status: "ready" | "unavailable";
  /** "full" while writes find no room on its disk. */
  database: "reachable" | "unreachable" | "full";
  /** Which clock sends deliveries. */
  clock: "embedded" | "inngest";
  /**
   * How long the oldest delivery that is due has been waiting; 0 where none is, null where the
   * database is away. What waits because its own webhook keeps failing does not count.
   */
  oldestDueDeliverySeconds: number | null;
  /**
   * How many are due, how many of these are being sent, and how many are held; 10,000 stands for
   * that and more.
   */
  deliveries: { due: number; inProgress: number; held: number } | null;
  /**
   * For how long the oldest row that retention should have deleted has waited; null where the
   * database is away.
   */
  oldestExpiredRowSeconds: number | null;
};

type Row = { oldestDueSeconds: number; due: number; inProgress: number; held: number };

/** Says nothing of any tenant: it is public. */
export async function readiness(): Promise<Readiness> {
  const clock = env().JOBS;
  try {
    const [row] = await runStatement<Row>(deliveryReadinessStatement, [mostCountedDeliveries]);
    const { seconds: oldestExpiredRowSeconds } = await oldestExpired();
    const { oldestDueSeconds, ...deliveries } = row ?? {
      oldestDueSeconds: 0,
      due: 0,
      inProgress: 0,
      held: 0,
    };
    const isFull = isDatabaseFull();
    return {
      status: isFull ? "unavailable" : "ready",
      database: isFull ? "full" : "reachable",
      clock,
      oldestDueDeliverySeconds: Math.round(oldestDueSeconds * 10) / 10,
      deliveries,
      oldestExpiredRowSeconds: Math.round(oldestExpiredRowSeconds),
    };
  } catch {
    return {
      status: "unavailable",
      database: "unreachable",
      clock,
      oldestDueDeliverySeconds: null,
      deliveries: null,
      oldestExpiredRowSeconds: null,
    };
  }
}

/** How long a result of `/ready` is given out again. */
const readyForMs = 1_000;

/**
 * Anyone may call a probe, as often as they like: the result of one check is used again for a
 * while, and by all who wait for it.
 */
export function cachedFor<Result>(
  check: () => Promise<Result>,
  forMs: number,
  now: () => number,
): () => Promise<Result> {
  let latest: { result: Promise<Result>; untilMs: number } | undefined;
  return () => {
    if (!latest || now() >= latest.untilMs) {
      const started = { result: check(), untilMs: Number.POSITIVE_INFINITY };
      latest = started;
      const end = () => {
        started.untilMs = now() + forMs;
      };
      started.result.then(end, end);
    }
    return latest.result;
  };
}

const recentReadiness = cachedFor(readiness, readyForMs, () => performance.now());

const stuckAfterMs = 30_000;

/**
 * Fails where only a restart helps, and not while the database is away. A stuck event loop sends no
 * response at all.
 */
export function health(stuckMs = poolStuckMs()) {
  if (stuckMs < stuckAfterMs) return { status: 200, body: { status: "ok" } };
  const detail = `All database connections have been in use for ${Math.floor(stuckMs / 1_000)} s. Restart this process.`;
  return { status: 503, body: { status: "stuck", detail } };
}

/**
 * The public probes, whichever server is asked. The first says whether the process lives, the
 * second whether it can serve.
 */
export const probes = {
  "/health": async () => health(),
  "/ready": async () => {
    const body = await recentReadiness();
    return { status: body.status === "ready" ? 200 : 503, body };
  },
};
