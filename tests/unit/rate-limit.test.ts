import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Redis } from "@upstash/redis";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { log } from "@/lib/log";
import { memoryRateLimiter } from "@/lib/rate-limit/memory-rate-limiter";
import type { RateLimiter } from "@/lib/rate-limit/rate-limiter";
import { upstashRateLimiter } from "@/lib/rate-limit/upstash-rate-limiter";
import { openHostile } from "../support/gallery";
import { findRedisServer, startUpstashBridge, type UpstashBridge } from "../support/upstash-bridge";

const minuteMs = 60_000;
/** Some minute, at its very beginning. */
const startMs = 1_800_000_000_000;

const redisServer = findRedisServer();
const withRedis = describe.skipIf(redisServer === null);
let bridge: UpstashBridge;

beforeAll(async () => {
  if (redisServer) bridge = await startUpstashBridge(redisServer);
});
afterAll(() => bridge?.stop());
afterEach(() => {
  vi.restoreAllMocks();
});

let identifiersMade = 0;
/** Nobody took anything from it before, so nothing needs to be cleaned up between tests. */
function newIdentifier(): string {
  identifiersMade += 1;
  return `identifier-${identifiersMade}`;
}

/** Only the clock that is read is set: timers and Redis's own expiry go on in real time. */
const setTime = (nowMs: number) => vi.setSystemTime(nowMs);

async function takeMany(limiter: RateLimiter, count: number, identifier: string, limit: number, windowMs = minuteMs): Promise<number> {
  const results = await Promise.all(Array.from({ length: count }, () => limiter.take(identifier, limit, windowMs)));
  return results.filter((result) => result.isAllowed).length;
}

const newMemoryLimiter = () => memoryRateLimiter({ now: () => Date.now() });
// Two hundred requests at once may wait for each other on a small machine; the deadline has tests of its own below.
const newUpstashLimiter = () => upstashRateLimiter({ url: bridge.url, token: bridge.token, timeoutMs: 20_000 });

describe.each([
  { name: "in memory", create: newMemoryLimiter, isSkipped: false, numRuns: 300 },
  { name: "in Redis", create: newUpstashLimiter, isSkipped: redisServer === null, numRuns: 25 },
])("the sliding window $name", ({ create, isSkipped, numRuns }) => {
  if (isSkipped) {
    test.skip("needs redis-server");
    return;
  }

  let limiter: RateLimiter;
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["Date"], now: startMs });
    limiter = create();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test("exactly the limit of many simultaneous requests are allowed", async () => {
    expect(await takeMany(limiter, 200, newIdentifier(), 60)).toBe(60);
  });

  test("remaining counts down to zero, and stays there when denied", async () => {
    const identifier = newIdentifier();
    const results = [];
    for (let taken = 0; taken < 4; taken += 1) results.push(await limiter.take(identifier, 3, minuteMs));

    const resetAtMs = startMs + minuteMs;
    expect(results).toEqual([
      { isAllowed: true, limit: 3, remaining: 2, resetAtMs },
      { isAllowed: true, limit: 3, remaining: 1, resetAtMs },
      { isAllowed: true, limit: 3, remaining: 0, resetAtMs },
      { isAllowed: false, limit: 3, remaining: 0, resetAtMs },
    ]);
  });

  test("reset is the end of the window in milliseconds, wherever in it the request falls", async () => {
    const identifier = newIdentifier();
    setTime(startMs + 59_999);
    expect((await limiter.take(identifier, 3, minuteMs)).resetAtMs).toBe(startMs + minuteMs);
    setTime(startMs + 60_000);
    expect((await limiter.take(identifier, 3, minuteMs)).resetAtMs).toBe(startMs + 2 * minuteMs);
  });

  test("identifiers do not share", async () => {
    const [first, second] = [newIdentifier(), newIdentifier()];
    expect(await takeMany(limiter, 5, first, 5)).toBe(5);
    expect((await limiter.take(first, 5, minuteMs)).isAllowed).toBe(false);
    expect((await limiter.take(second, 5, minuteMs)).remaining).toBe(4);
  });

  test("windows of different lengths do not share", async () => {
    const identifier = newIdentifier();
    expect(await takeMany(limiter, 5, identifier, 5, minuteMs)).toBe(5);
    expect((await limiter.take(identifier, 5, 15 * minuteMs)).remaining).toBe(4);
  });

  test("requests that were denied do not count", async () => {
    const identifier = newIdentifier();
    expect(await takeMany(limiter, 60, identifier, 10)).toBe(10);

    // Half of the ten still weigh. If the fifty denied ones counted, nothing would be left.
    setTime(startMs + 1.5 * minuteMs);
    expect((await limiter.peek(identifier, 10, minuteMs)).remaining).toBe(5);
  });

  test("the previous window weighs as much as of it lies within the last minute, rounded down", async () => {
    const identifier = newIdentifier();
    setTime(startMs + 30_000);
    expect(await takeMany(limiter, 10, identifier, 10)).toBe(10);

    const remainingAt = async (nowMs: number) => {
      setTime(nowMs);
      return (await limiter.peek(identifier, 10, minuteMs)).remaining;
    };
    expect(await remainingAt(startMs + minuteMs - 1)).toBe(0);
    expect(await remainingAt(startMs + minuteMs)).toBe(0);
    expect(await remainingAt(startMs + minuteMs + 1)).toBe(1);
    expect(await remainingAt(startMs + minuteMs + 6_000)).toBe(1);
    expect(await remainingAt(startMs + minuteMs + 6_001)).toBe(2);
    expect(await remainingAt(startMs + 2 * minuteMs - 1)).toBe(10);
    expect(await remainingAt(startMs + 2 * minuteMs)).toBe(10);
  });

  test("someone who was denied is allowed again one millisecond after reset", async () => {
    const identifier = newIdentifier();
    await takeMany(limiter, 60, identifier, 60);
    const { resetAtMs } = await limiter.take(identifier, 60, minuteMs);

    setTime(resetAtMs);
    expect((await limiter.take(identifier, 60, minuteMs)).isAllowed).toBe(false);
    setTime(resetAtMs + 1);
    expect((await limiter.take(identifier, 60, minuteMs)).isAllowed).toBe(true);
    expect((await limiter.take(identifier, 60, minuteMs)).isAllowed).toBe(false);
  });

  test("someone who was denied is allowed again within the same window, as the previous one weighs less and less", async () => {
    const identifier = newIdentifier();
    await takeMany(limiter, 10, identifier, 10);

    setTime(startMs + 1.25 * minuteMs);
    expect(await takeMany(limiter, 10, identifier, 10)).toBe(3);
    setTime(startMs + 1.5 * minuteMs);
    expect(await takeMany(limiter, 10, identifier, 10)).toBe(2);
  });

  test("nothing weighs after two windows", async () => {
    const identifier = newIdentifier();
    await takeMany(limiter, 5, identifier, 5);
    setTime(startMs + 2 * minuteMs);
    expect((await limiter.take(identifier, 5, minuteMs)).remaining).toBe(4);
  });

  test("peek takes nothing", async () => {
    const identifier = newIdentifier();
    await limiter.take(identifier, 3, minuteMs);
    for (let peeked = 0; peeked < 5; peeked += 1) {
      expect(await limiter.peek(identifier, 3, minuteMs)).toEqual({
        isAllowed: true,
        limit: 3,
        remaining: 2,
        resetAtMs: startMs + minuteMs,
      });
    }
    expect(await takeMany(limiter, 5, identifier, 3)).toBe(2);
    expect(await limiter.peek(identifier, 3, minuteMs)).toMatchObject({ isAllowed: false, remaining: 0 });
  });

  test("a limit that is raised or lowered holds for what was taken before", async () => {
    const identifier = newIdentifier();
    expect(await takeMany(limiter, 20, identifier, 10)).toBe(10);
    expect(await takeMany(limiter, 50, identifier, 30)).toBe(20);
    expect(await limiter.take(identifier, 10, minuteMs)).toMatchObject({ isAllowed: false, limit: 10, remaining: 0 });
  });

  test("a limit of zero allows nothing", async () => {
    expect(await limiter.take(newIdentifier(), 0, minuteMs)).toMatchObject({ isAllowed: false, remaining: 0 });
  });

  test("in real time, someone who was denied is allowed again within two windows", async () => {
    vi.useRealTimers();
    const identifier = newIdentifier();
    const windowMs = 400;
    const isDenied = async () => expect(await limiter.take(identifier, 5, windowMs)).toMatchObject({ isAllowed: false });
    const isAllowed = async () => expect(await limiter.take(identifier, 5, windowMs)).toMatchObject({ isAllowed: true });

    await vi.waitFor(isDenied, { interval: 1, timeout: 5_000 });
    const deniedAt = performance.now();
    await vi.waitFor(isAllowed, { interval: 10, timeout: 5_000 });
    expect(performance.now() - deniedAt).toBeLessThan(2 * windowMs + 1_000);
  });

  test("every figure is that of a list of all requests, counted anew each time", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 60 }), async (steps) => {
        const identifiers = [newIdentifier(), newIdentifier()];
        const naive = naiveLimiter();
        let nowMs = startMs;

        for (const { advanceMs, who, limit, windowMs, isPeek } of steps) {
          nowMs += advanceMs;
          setTime(nowMs);
          const identifier = identifiers[who] ?? "";
          const actual = await (isPeek ? limiter.peek(identifier, limit, windowMs) : limiter.take(identifier, limit, windowMs));
          expect(actual).toEqual(naive(nowMs, identifier, limit, windowMs, isPeek));
        }
      }),
      { numRuns },
    );
  }, 60_000);
});

const step = fc.record({
  advanceMs: fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min: 0, max: 900 }) },
    { weight: 2, arbitrary: fc.integer({ min: 0, max: 15_000 }) },
    { weight: 1, arbitrary: fc.constantFrom(0, 1, 9_999, 10_000, 10_001, 60_000, 120_000) },
  ),
  who: fc.constantFrom(0, 1),
  limit: fc.integer({ min: 0, max: 12 }),
  windowMs: fc.constantFrom(10_000, 60_000),
  isPeek: fc.boolean(),
});

/** The definition itself: remembers every request that was allowed, and counts them one by one. */
function naiveLimiter() {
  const allowed: { atMs: number; identifier: string; windowMs: number }[] = [];

  return (nowMs: number, identifier: string, limit: number, windowMs: number, isPeek: boolean) => {
    const startOfWindowMs = nowMs - (nowMs % windowMs);
    const countBetween = (fromMs: number, untilMs: number) =>
      allowed.filter(
        (entry) => entry.identifier === identifier && entry.windowMs === windowMs && entry.atMs >= fromMs && entry.atMs < untilMs,
      ).length;
    const previous = countBetween(startOfWindowMs - windowMs, startOfWindowMs);
    const elapsed = (nowMs - startOfWindowMs) / windowMs;
    const used = countBetween(startOfWindowMs, startOfWindowMs + windowMs) + Math.floor((1 - elapsed) * previous);

    const isAllowed = used < limit;
    const isTaken = isAllowed && !isPeek;
    if (isTaken) allowed.push({ atMs: nowMs, identifier, windowMs });
    return { isAllowed, limit, remaining: Math.max(0, limit - used - (isTaken ? 1 : 0)), resetAtMs: startOfWindowMs + windowMs };
  };
}

describe("in memory", () => {
  test("past the largest number of identifiers, the ones seen first are forgotten and the others kept", async () => {
    const limiter = memoryRateLimiter({ now: () => startMs, maximumIdentifiers: 3 });
    for (const identifier of ["a", "b", "c", "d", "e"]) await limiter.take(identifier, 10, minuteMs);
    // "e" is known already, so nobody is forgotten for it.
    await limiter.take("e", 10, minuteMs);

    const remaining = async (identifier: string) => (await limiter.peek(identifier, 10, minuteMs)).remaining;
    expect(await Promise.all(["a", "b", "c", "d", "e"].map(remaining))).toEqual([10, 10, 9, 9, 8]);
  });

  test("a flood of new identifiers costs no more each when the table is full", async () => {
    const limiter = memoryRateLimiter({ now: () => startMs });
    const flood = (from: number) => {
      const startedAt = performance.now();
      for (let index = from; index < from + 100_000; index += 1) limiter.take(`address-${index}`, 10, minuteMs);
      return performance.now() - startedAt;
    };
    flood(0);
    // A third of a second. Stepping over everything that was deleted, at each deletion, would take more than ten.
    expect(flood(100_000) + flood(200_000) + flood(300_000)).toBeLessThan(4_000);
  }, 60_000);

  test("a clock that is set back an hour starts anew instead of denying for an hour", async () => {
    let nowMs = startMs;
    const limiter = memoryRateLimiter({ now: () => nowMs });
    expect(await takeMany(limiter, 5, "someone", 5)).toBe(5);
    nowMs -= 60 * minuteMs;
    expect(await limiter.take("someone", 5, minuteMs)).toMatchObject({ isAllowed: true, remaining: 4 });
  });
});

withRedis("in Redis", () => {
  test("two processes count together", async () => {
    const [first, second] = [newUpstashLimiter(), newUpstashLimiter()];
    const identifier = newIdentifier();
    const allowed = await Promise.all([
      takeMany(first, 40, identifier, 30, 60 * minuteMs),
      takeMany(second, 40, identifier, 30, 60 * minuteMs),
    ]);
    expect(allowed[0] + allowed[1]).toBe(30);
  });

  test("a request is one command once Redis knows the script", async () => {
    const limiter = newUpstashLimiter();
    await limiter.take(newIdentifier(), 5, minuteMs);
    bridge.commands.length = 0;
    await limiter.take(newIdentifier(), 5, minuteMs);
    expect(bridge.commands.map((command) => command.toUpperCase())).toEqual(["EVALSHA"]);
  });

  test("what is stored is gone by itself soon after it stops to matter", async () => {
    const redis = new Redis({ url: bridge.url, token: bridge.token, enableTelemetry: false });
    const identifier = newIdentifier();
    await newUpstashLimiter().take(identifier, 5, minuteMs);
    const keys = await redis.keys(`parlance:${identifier}:*`);
    expect(keys).toHaveLength(1);
    const timeToLiveMs = await redis.pttl(keys[0] ?? "");
    expect(timeToLiveMs).toBeGreaterThan(minuteMs);
    expect(timeToLiveMs).toBeLessThanOrEqual(2 * minuteMs + 1_000);
  });

  test("the bridge speaks to Upstash's client as Upstash does", async () => {
    const redis = new Redis({ url: bridge.url, token: bridge.token, enableTelemetry: false });
    const key = newIdentifier();
    expect(await redis.set(key, "grüße, 世界")).toBe("OK");
    expect(await redis.get(key)).toBe("grüße, 世界");
    expect(await redis.get("nothing")).toBeNull();
    expect(await redis.pipeline().incr(`${key}:a`).incr(`${key}:a`).get(key).exec()).toEqual([1, 2, "grüße, 世界"]);
    expect(await redis.multi().rpush(`${key}:list`, "x", "y").lrange(`${key}:list`, 0, -1).exec()).toEqual([2, ["x", "y"]]);

    const script = "#!lua flags=allow-key-locking\nreturn {ARGV[1], 7}";
    const hash = await redis.scriptLoad(script);
    expect(await redis.evalsha(hash, [], ["text"])).toEqual(["text", 7]);
    await expect(redis.evalsha("0".repeat(40), [], [])).rejects.toThrow("NOSCRIPT");
    await expect(redis.incr(key)).rejects.toThrow("ERR value is not an integer");
    const stranger = new Redis({ url: bridge.url, token: "wrong", enableTelemetry: false });
    await expect(stranger.get(key)).rejects.toThrow("WRONGPASS");
  });

  test("a store that stops answering lets requests through, then is asked once a second, and limits again when it answers", async () => {
    const limiter = upstashRateLimiter({ url: bridge.url, token: bridge.token, timeoutMs: 250 });
    const identifier = newIdentifier();
    const windowMs = 24 * 60 * minuteMs;
    const isDenied = async () => expect(await limiter.take(identifier, 1, windowMs)).toMatchObject({ isAllowed: false });
    try {
      // Until it is denied: the first answers of a busy machine may come too late for so short a deadline.
      await vi.waitFor(isDenied, { interval: 5, timeout: 10_000 });

      bridge.stopAnswering();
      expect(await takeMany(limiter, 10, identifier, 1, windowMs)).toBe(10);
      const startedAt = performance.now();
      for (let asked = 0; asked < 100; asked += 1) await limiter.take(identifier, 1, windowMs);
      // A hundred waits, one after the other, would be twenty-five seconds.
      expect(performance.now() - startedAt).toBeLessThan(2_000);
      expect(limiter.letThrough.count).toBeGreaterThanOrEqual(110);

      bridge.answerAgain();
      await vi.waitFor(isDenied, { interval: 50, timeout: 10_000 });
      for (let asked = 0; asked < 20; asked += 1) await isDenied();
    } finally {
      bridge.answerAgain();
    }
  }, 30_000);

  test("a wrong token lets requests through, and what is logged names no identifier", async () => {
    const errors = vi.spyOn(log, "error").mockImplementation(() => undefined);
    const limiter = upstashRateLimiter({ url: bridge.url, token: "wrong" });
    expect(await limiter.take("ada@example.com", 5, minuteMs)).toMatchObject({ isAllowed: true, limit: 5, remaining: 5 });
    expect(limiter.letThrough.count).toBe(1);
    expect(errors).toHaveBeenCalledTimes(1);
    expect(JSON.stringify(errors.mock.calls)).toContain("WRONGPASS");
    expect(JSON.stringify(errors.mock.calls)).not.toContain("ada@example.com");
  });
});

describe("without a store", () => {
  test("a store that is down lets every request through at once, is logged once a second, and counted", async () => {
    const errors = vi.spyOn(log, "error").mockImplementation(() => undefined);
    const limiter = upstashRateLimiter({ url: `http://127.0.0.1:${await closedPort()}`, token: "any" });
    const before = Date.now();
    const startedAt = performance.now();
    const results = await Promise.all(Array.from({ length: 50 }, () => limiter.take("someone", 3, minuteMs)));
    results.push(await limiter.peek("someone", 3, minuteMs));

    expect(performance.now() - startedAt).toBeLessThan(3_000);
    for (const result of results) {
      expect(result).toMatchObject({ isAllowed: true, limit: 3, remaining: 3 });
      expect(result.resetAtMs).toBeGreaterThan(before);
      expect(result.resetAtMs).toBeLessThanOrEqual(Date.now() + minuteMs);
    }
    expect(limiter.letThrough.count).toBe(51);
    expect(limiter.letThrough.lastAtMs).toBeGreaterThanOrEqual(before);
    expect(errors).toHaveBeenCalledTimes(1);
    expect(JSON.stringify(errors.mock.calls)).toContain("ECONNREFUSED");
  });

  test.each(["take", "peek"] as const)("a store that never answers lets a %s through within a second", async (verb) => {
    const errors = vi.spyOn(log, "error").mockImplementation(() => undefined);
    const store = await openHostile("accepts and keeps silent");
    const limiter = upstashRateLimiter({ url: store.url, token: "any" });

    const startedAt = performance.now();
    const result = await limiter[verb]("someone", 3, minuteMs);
    const waitedMs = performance.now() - startedAt;

    expect(result).toMatchObject({ isAllowed: true, limit: 3, remaining: 3 });
    expect(waitedMs).toBeGreaterThan(400);
    expect(waitedMs).toBeLessThan(3_000);
    expect(limiter.letThrough.count).toBe(1);
    expect(errors).toHaveBeenCalledTimes(1);
    await store.close();
  });
});

describe("the process's limiter", () => {
  const shared = globalThis as { parlanceRateLimit?: unknown };

  async function loadWith(variables: Record<string, string>) {
    vi.stubEnv("DATABASE_URL", "postgresql://nobody@127.0.0.1/nothing");
    vi.stubEnv("SECRET_KEYS", `k1:${Buffer.alloc(32).toString("base64")}`);
    vi.stubEnv("UPSTASH_REDIS_REST_URL", "");
    vi.stubEnv("UPSTASH_REDIS_REST_TOKEN", "");
    for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
    vi.resetModules();
    return await import("@/lib/rate-limit/rate-limiter");
  }
  const forget = () => {
    delete shared.parlanceRateLimit;
    vi.unstubAllEnvs();
  };
  beforeEach(forget);
  afterEach(forget);

  test("is in memory when no store is configured, and one however often the module is loaded", async () => {
    const first = await loadWith({});
    expect(first.rateLimitStore()).toEqual({ name: "memory", letThrough: { count: 0, lastAtMs: null } });
    const limiter = first.rateLimiter();
    expect((await loadWith({})).rateLimiter()).toBe(limiter);
  });

  test("is Upstash's when its address and token are configured, and counts what it lets through", async () => {
    const loaded = await loadWith({ UPSTASH_REDIS_REST_URL: `http://127.0.0.1:${await closedPort()}`, UPSTASH_REDIS_REST_TOKEN: "any" });
    expect(loaded.rateLimitStore()).toMatchObject({ name: "upstash", letThrough: { count: 0 } });
    expect((await loaded.rateLimiter().take("someone", 3, minuteMs)).isAllowed).toBe(true);
    expect(loaded.rateLimitStore().letThrough.count).toBe(1);
  });
});

/** A port on which nothing listens. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
