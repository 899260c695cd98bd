import { poolStuckMs, runSql } from "@/lib/platform/db";
import { isDatabaseFull } from "@/lib/platform/disk-full";
import { env } from "@/lib/platform/env";
import { oldestExpired } from "@/lib/retention/purge-expired";
import { backlogsStatement, deliveryReadinessStatement } from "./service.sql";

/** Counts stop here, so that the cost does not depend on the backlog. */
export const mostCountedDeliveries = 10_000;

export type Readiness = {
  status: "ready" | "unavailable";
  /** "full" while writes fail because its disk is full. */
  database: "reachable" | "unreachable" | "full";
  /** Which job clock sends deliveries. */
  clock: "embedded" | "inngest";
  /**
   * How long the oldest due delivery has been waiting; 0 if there is none, null while the database
   * is unreachable. Deliveries that wait because their own webhook keeps failing do not count.
   */
  oldestDueDeliverySeconds: number | null;
  /**
   * How many are due, how many of these are being sent, and how many are held; 10,000 means 10,000
   * or more.
   */
  deliveries: { due: number; inProgress: number; held: number } | null;
  /**
   * How long the oldest expired row has waited to be deleted; null while the database is
   * unreachable.
   */
  oldestExpiredRowSeconds: number | null;
};

type Row = { oldestDueSeconds: number; due: number; inProgress: number; held: number };

/** The result is public, so it reveals nothing about tenants. */
export async function readiness(): Promise<Readiness> {
  const clock = env().JOBS;
  try {
    const [row] = await runSql<Row>(deliveryReadinessStatement({ limit: mostCountedDeliveries }));
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

type Backlogs = {
  documents: number;
  oldestDocumentSeconds: number;
  mails: number;
  oldestMailSeconds: number;
};

/** What waits besides deliveries; null while the database is unreachable. */
async function backlogs(): Promise<Backlogs | null> {
  const rows = await runSql<Backlogs>(backlogsStatement({ limit: mostCountedDeliveries })).catch(
    () => [],
  );
  return rows[0] ?? null;
}

/** How long a result of `/ready` is reused. */
const readyForMs = 1_000;

/**
 * Anyone may call a probe as often as they like, so concurrent callers share one check and its
 * result is reused for a while.
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

export const recentReadiness = cachedFor(readiness, readyForMs, () => performance.now());
export const recentBacklogs = cachedFor(backlogs, readyForMs, () => performance.now());

const stuckAfterMs = 30_000;

/**
 * Fails only when a restart is needed, and not while the database is unreachable. A stuck event
 * loop sends no response at all.
 */
export function health(stuckMs = poolStuckMs()) {
  if (stuckMs < stuckAfterMs) return { status: 200, body: { status: "ok" } };
  const detail = `All database connections have been in use for ${Math.floor(stuckMs / 1_000)} s. Restart this process.`;
  return { status: 503, body: { status: "stuck", detail } };
}

let isStopping = false;

/** From now on, `/ready` fails, so that load balancers send no further requests to this process. */
export function announceStop(): void {
  isStopping = true;
}

/**
 * The public probes, on every server. The first says whether the process is alive, the second
 * whether it can serve.
 */
export const probes = {
  "/health": async () => health(),
  "/ready": async () => {
    if (isStopping) return { status: 503, body: { status: "stopping" } };
    const body = await recentReadiness();
    return { status: body.status === "ready" ? 200 : 503, body };
  },
};
