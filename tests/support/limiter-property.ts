import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { expect } from "vitest";
import { memoryRateLimiter } from "@/lib/platform/rate-limit/memory-rate-limiter";
import type { RateLimitResult } from "@/lib/platform/rate-limit/rate-limiter";
import type { Order } from "./limiter-process";
import type { UpstashBridge } from "./upstash-bridge";

/** One limiter: takes `count` requests at the same moment of virtual time. */
export type Taker = { take(order: Order): Promise<RateLimitResult[]>; end?: () => Promise<void> };

export function memoryTaker(): Taker {
  let nowMs = 0;
  const limiter = memoryRateLimiter({ now: () => nowMs });
  return {
    take: async ({ count, identifier, limit, windowMs, ...order }) => {
      nowMs = order.nowMs;
      return Promise.all(
        Array.from({ length: count }, () => limiter.take(identifier, limit, windowMs)),
      );
    },
  };
}

/** A process of the operating system, with a connection of its own to the one Redis. */
export async function startProcessTaker({
  url,
  token,
}: Pick<UpstashBridge, "url" | "token">): Promise<Taker> {
  const file = fileURLToPath(new URL("limiter-process.ts", import.meta.url));
  const child = fork(file, [url, token], { execArgv: ["--import", "tsx"] });
  const exited = once(child, "exit");
  const failed = exited.then(([code]) =>
    Promise.reject(new Error(`the limiter's process ended with ${code}`)),
  );
  failed.catch(() => {});
  await Promise.race([once(child, "message"), failed]);
  return {
    take: async (order) => {
      const replied = once(child, "message");
      child.send(order);
      const [results] = (await Promise.race([replied, failed])) as [RateLimitResult[]];
      return results;
    },
    end: async () => {
      child.disconnect();
      await exited;
    },
  };
}

const durationMs = 10 * 60_000;

/**
 * Ten minutes of arrivals: bursts, steady streams and pauses; some clients wait exactly as long as
 * they are told to.
 */
const arrivals = fc.record({
  limit: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.constantFrom(30, 60)),
  startMs: fc.integer({ min: 1_800_000_000_000, max: 1_800_000_060_000 }),
  steps: fc.array(
    fc.record({
      advanceMs: fc.oneof(
        { weight: 3, arbitrary: fc.integer({ min: 0, max: 1_000 }) },
        { weight: 3, arbitrary: fc.integer({ min: 0, max: 15_000 }) },
        { weight: 1, arbitrary: fc.constantFrom(0, 1, 999, 1_000, 59_000, 59_999, 60_000, 60_001) },
        { weight: 2, arbitrary: fc.constantFrom("until it is free", "one millisecond less") },
      ),
      counts: fc.array(fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 40 })), {
        minLength: 3,
        maxLength: 3,
      }),
    }),
    { minLength: 150, maxLength: 150, size: "max" },
  ),
});

export type Findings = {
  cases: number;
  requests: number;
  /** The most that passed in any window of 60 s, as a share of the limit. */
  worstWindow: number;
};

/**
 * Holds limiters that count together against a log of every request that passed. The same seed is
 * the same cases.
 */
export async function holdAgainstLog(
  openTakers: () => Taker[],
  { numRuns, seed }: { numRuns: number; seed?: number },
): Promise<Findings> {
  const findings: Findings = { cases: 0, requests: 0, worstWindow: 0 };

  const property = fc.asyncProperty(arrivals, async ({ limit, startMs, steps }) => {
    const takers = openTakers();
    const identifier = `case-${crypto.randomUUID()}`;
    const reference = referenceLimiter(limit, 60_000);
    let nowMs = startMs;
    for (const { advanceMs, counts } of steps) {
      if (typeof advanceMs === "number") nowMs += advanceMs;
      else
        nowMs += Math.max(
          0,
          reference.look(nowMs).resetMs - (advanceMs === "until it is free" ? 0 : 1),
        );
      if (nowMs > startMs + durationMs) break;

      const orders = takers.map((_, index) => ({
        nowMs,
        identifier,
        limit,
        windowMs: 60_000,
        count: counts[index] ?? 0,
      }));
      const replies = await Promise.all(
        takers.map((taker, index) => taker.take(orders[index] as Order)),
      );
      const results = replies.flat();
      // Which of several processes came first is not known, but their combined results are.
      results.sort(
        (one, other) =>
          Number(other.isAllowed) - Number(one.isAllowed) || other.remaining - one.remaining,
      );
      for (const result of results) expect(result).toEqual(reference.take(nowMs));
      findings.requests += results.length;
    }
    findings.cases += 1;
    findings.worstWindow = Math.max(
      findings.worstWindow,
      mostInAnyWindow(reference.log, 60_000) / limit,
    );
  });
  await fc.assert(property, { numRuns, ...(seed !== undefined && { seed }) });
  return findings;
}

/**
 * The definition itself, from a log of everything that passed, with both promises checked at every
 * request.
 */
function referenceLimiter(limit: number, windowMs: number) {
  const log: number[] = [];
  const widthMs = windowMs / 60;

  /**
   * The log in buckets of a second, each with its last request: a bucket counts while that one is
   * in the window.
   */
  function living(nowMs: number) {
    const buckets = new Map<number, { taken: number; lastMs: number }>();
    for (const atMs of log) {
      const number = Math.floor(atMs / widthMs);
      buckets.set(number, { taken: (buckets.get(number)?.taken ?? 0) + 1, lastMs: atMs });
    }
    return [...buckets.values()].filter(({ lastMs }) => lastMs > nowMs - windowMs);
  }

  function look(nowMs: number) {
    const buckets = living(nowMs);
    const used = buckets.reduce((total, { taken }) => total + taken, 0);
    // The first moment at which fewer count: fewer than the limit, where nothing remains.
    const target = Math.min(used - 1, limit - 1);
    const ends = buckets.map(({ lastMs }) => lastMs + windowMs);
    const free = ends.find(
      (endMs) =>
        buckets.reduce(
          (total, { taken, lastMs }) => total + (lastMs + windowMs > endMs ? taken : 0),
          0,
        ) <= target,
    );
    return {
      limit,
      remaining: Math.max(0, limit - used),
      resetMs: free === undefined ? windowMs : free - nowMs,
    };
  }

  function take(nowMs: number): RateLimitResult {
    const since = (ageMs: number) => log.filter((atMs) => atMs > nowMs - ageMs).length;
    const isAllowed = look(nowMs).remaining > 0;
    if (isAllowed) {
      expect(since(windowMs), "passed although the last 60 s hold the limit").toBeLessThan(limit);
      log.push(nowMs);
    } else {
      expect(
        since(windowMs + widthMs),
        "refused although the last 61 s hold fewer than the limit",
      ).toBeGreaterThanOrEqual(limit);
    }
    return { isAllowed, ...look(nowMs) };
  }

  return { log, look, take };
}

function mostInAnyWindow(log: number[], windowMs: number): number {
  return Math.max(
    0,
    ...log.map(
      (startMs, index) => log.slice(index).filter((atMs) => atMs < startMs + windowMs).length,
    ),
  );
}
