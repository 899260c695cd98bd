import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Redis } from "@upstash/redis";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { logOf } from "@/lib/platform/log";
import { memoryRateLimiter } from "@/lib/platform/rate-limit/memory-rate-limiter";
import type { RateLimiter } from "@/lib/platform/rate-limit/rate-limiter";
import { probeUpstash, upstashRateLimiter } from "@/lib/platform/rate-limit/upstash-rate-limiter";
import { runAdmin } from "../support/admin";
import { openHostile } from "../support/gallery";
import {
  holdAgainstLog,
  memoryTaker,
  startProcessTaker,
  type Taker,
} from "../support/limiter-property";
import { findRedisServer, startUpstashBridge, type UpstashBridge } from "../support/upstash-bridge";

const minuteMs = 60_000;
/** The start of some minute. */
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
/** No test used it before, so nothing needs to be cleaned up between tests. */
function newIdentifier(): string {
  identifiersMade += 1;
  return `identifier-${identifiersMade}`;
}

async function takeMany(
  limiter: RateLimiter,
  count: number,
  identifier: string,
  limit: number,
  windowMs = minuteMs,
): Promise<number> {
  const results = await Promise.all(
    Array.from({ length: count }, () => limiter.take(identifier, limit, windowMs)),
  );
  return results.filter((result) => result.isAllowed).length;
}

let nowMs = startMs;
const newMemoryLimiter = () => memoryRateLimiter({ now: () => nowMs });
// Two hundred concurrent requests may wait for each other on a small machine; the deadline has
// tests of its own below.
const upstashAt = (now?: () => number) =>
  upstashRateLimiter({
    url: bridge.url,
    token: bridge.token,
    timeoutMs: 20_000,
    ...(now && { now }),
  });
const newUpstashLimiter = () => upstashAt(() => nowMs);

describe.each([
  { name: "in memory", create: newMemoryLimiter, isSkipped: false },
  { name: "in Redis", create: newUpstashLimiter, isSkipped: redisServer === null },
])("the limiter $name", ({ create, isSkipped }) => {
  if (isSkipped) {
    test.skip("needs redis-server");
    return;
  }

  let limiter: RateLimiter;
  beforeEach(() => {
    nowMs = startMs;
    limiter = create();
  });

  test("exactly the limit of many concurrent requests are allowed", async () => {
    expect(await takeMany(limiter, 200, newIdentifier(), 60)).toBe(60);
  });

  test("remaining counts down to zero and stays there, and reset names when the first request leaves the window", async () => {
    const identifier = newIdentifier();
    const results = [];
    for (let taken = 0; taken < 4; taken += 1) {
      results.push(await limiter.take(identifier, 3, minuteMs));
      nowMs += 10_000;
    }
    expect(results).toEqual([
      { isAllowed: true, limit: 3, remaining: 2, resetMs: 60_000 },
      { isAllowed: true, limit: 3, remaining: 1, resetMs: 50_000 },
      { isAllowed: true, limit: 3, remaining: 0, resetMs: 40_000 },
      { isAllowed: false, limit: 3, remaining: 0, resetMs: 30_000 },
    ]);
  });

  test("the next request passes exactly when reset says, not one millisecond earlier", async () => {
    const identifier = newIdentifier();
    nowMs += 30_250;
    await takeMany(limiter, 60, identifier, 60);
    nowMs += 12_345;
    const { resetMs } = await limiter.take(identifier, 60, minuteMs);
    expect(resetMs).toBe(60_000 - 12_345);

    nowMs += resetMs - 1;
    expect(await limiter.take(identifier, 60, minuteMs)).toMatchObject({
      isAllowed: false,
      resetMs: 1,
    });
    nowMs += 1;
    expect(await limiter.take(identifier, 60, minuteMs)).toMatchObject({ isAllowed: true });
  });

  test("60 requests before a minute ends leave nothing for the minute that begins", async () => {
    const identifier = newIdentifier();
    nowMs += 59_500;
    expect(await takeMany(limiter, 60, identifier, 60)).toBe(60);
    let passed = 0;
    for (let asked = 0; asked < 59; asked += 1) {
      nowMs += 1_000;
      passed += Number((await limiter.take(identifier, 60, minuteMs)).isAllowed);
    }
    expect(passed).toBe(0);
    nowMs += 1_000;
    expect(await takeMany(limiter, 60, identifier, 60)).toBe(60);
  });

  test("everything taken half a window ago is free again half a window later", async () => {
    const identifier = newIdentifier();
    expect(await takeMany(limiter, 30, identifier, 60)).toBe(30);
    nowMs += 30_000;
    expect(await takeMany(limiter, 30, identifier, 60)).toBe(30);
    nowMs += 30_000;
    expect(await takeMany(limiter, 40, identifier, 60)).toBe(30);
  });

  test("one request a second is never refused at 60 a minute", async () => {
    const identifier = newIdentifier();
    for (let second = 0; second < 150; second += 1) {
      expect(await limiter.take(identifier, 60, minuteMs)).toMatchObject({ isAllowed: true });
      nowMs += 1_000;
    }
  });

  test("identifiers have separate limits", async () => {
    const [first, second] = [newIdentifier(), newIdentifier()];
    expect(await takeMany(limiter, 5, first, 5)).toBe(5);
    expect((await limiter.take(first, 5, minuteMs)).isAllowed).toBe(false);
    expect((await limiter.take(second, 5, minuteMs)).remaining).toBe(4);
  });

  test("windows of different lengths are separate", async () => {
    const identifier = newIdentifier();
    expect(await takeMany(limiter, 5, identifier, 5, minuteMs)).toBe(5);
    expect((await limiter.take(identifier, 5, 15 * minuteMs)).remaining).toBe(4);
  });

  test("refused requests do not count", async () => {
    const identifier = newIdentifier();
    expect(await takeMany(limiter, 60, identifier, 10)).toBe(10);
    expect((await limiter.peek(identifier, 60, minuteMs)).remaining).toBe(50);
  });

  test("several policies count together, or none of them if one refuses", async () => {
    const [key, tenant] = [newIdentifier(), newIdentifier()];
    const policies = [
      { identifier: key, limit: 5, windowMs: minuteMs },
      { identifier: tenant, limit: 3, windowMs: minuteMs },
    ];
    const results = [];
    for (let taken = 0; taken < 4; taken += 1) results.push(await limiter.takeAll(policies));
    expect(results.map(({ isAllowed }) => isAllowed)).toEqual([true, true, true, false]);
    expect(results.map(({ states }) => states.map(({ remaining }) => remaining))).toEqual([
      [4, 2],
      [3, 1],
      [2, 0],
      [2, 0],
    ]);
  });

  test("peek takes nothing", async () => {
    const identifier = newIdentifier();
    await limiter.take(identifier, 3, minuteMs);
    for (let peeked = 0; peeked < 5; peeked += 1) {
      expect(await limiter.peek(identifier, 3, minuteMs)).toEqual({
        isAllowed: true,
        limit: 3,
        remaining: 2,
        resetMs: minuteMs,
      });
    }
    expect(await takeMany(limiter, 5, identifier, 3)).toBe(2);
    expect(await limiter.peek(identifier, 3, minuteMs)).toMatchObject({
      isAllowed: false,
      remaining: 0,
    });
  });

  test("a raised or lowered limit applies to earlier requests", async () => {
    const identifier = newIdentifier();
    expect(await takeMany(limiter, 20, identifier, 10)).toBe(10);
    expect(await takeMany(limiter, 50, identifier, 30)).toBe(20);
    expect(await limiter.take(identifier, 10, minuteMs)).toMatchObject({
      isAllowed: false,
      limit: 10,
      remaining: 0,
    });
  });

  test("after the limit was lowered, reset names when fewer than the new one count", async () => {
    const identifier = newIdentifier();
    for (let taken = 0; taken < 3; taken += 1) {
      await limiter.take(identifier, 3, minuteMs);
      nowMs += 5_000;
    }
    expect(await limiter.take(identifier, 1, minuteMs)).toMatchObject({
      isAllowed: false,
      resetMs: 55_000,
    });
  });

  test("a limit of zero allows nothing", async () => {
    expect(await limiter.take(newIdentifier(), 0, minuteMs)).toMatchObject({
      isAllowed: false,
      remaining: 0,
    });
  });
});

describe("any window of 60 s holds at most the limit, and none is refused below it", () => {
  test("in memory", async () => {
    expect(await holdAgainstLog(() => [memoryTaker()], { numRuns: 40, seed: 1 })).toMatchObject({
      cases: 40,
      worstWindow: 1,
    });
  });

  describe.skipIf(redisServer === null)("in Redis", () => {
    let takers: Taker[] = [];
    beforeAll(async () => {
      takers = await Promise.all([1, 2, 3].map(() => startProcessTaker(bridge)));
    });
    afterAll(() => Promise.all(takers.map((taker) => taker.end?.())));

    test.each([1, 2, 3])("from %i processes", async (processes) => {
      expect(
        await holdAgainstLog(() => takers.slice(0, processes), { numRuns: 3, seed: 1 }),
      ).toMatchObject({ cases: 3, worstWindow: 1 });
    });
  });
});

describe("in memory", () => {
  test("in a flood of identifiers, the latest and those still in use are remembered", async () => {
    const limiter = memoryRateLimiter({ now: () => startMs, maximumIdentifiers: 3 });
    await limiter.take("early", 10, minuteMs);
    for (const identifier of ["a", "b", "used", "c", "used", "d", "used", "e"])
      await limiter.take(identifier, 10, minuteMs);

    const remaining = async (identifier: string) =>
      (await limiter.peek(identifier, 10, minuteMs)).remaining;
    expect(await Promise.all(["early", "used", "d", "e"].map(remaining))).toEqual([10, 7, 9, 9]);
  });

  test("no wait is longer than the window, on a clock with fractions of a millisecond", async () => {
    let fractionalMs = 0;
    const limiter = memoryRateLimiter({ now: () => fractionalMs });
    for (let step = 0; step < 1_000; step += 1) {
      fractionalMs += 61_234.567_891 * Math.SQRT2;
      expect((await limiter.take("someone", 5, minuteMs)).resetMs).toBe(minuteMs);
    }
  });

  test("the clock of the machine may jump: requests still count for a minute", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: startMs });
    try {
      const limiter = memoryRateLimiter();
      expect(await takeMany(limiter, 5, "someone", 5)).toBe(5);
      for (const jumpMs of [-60 * minuteMs, 60 * minuteMs]) {
        vi.setSystemTime(startMs + jumpMs);
        expect(await limiter.take("someone", 5, minuteMs)).toMatchObject({ isAllowed: false });
      }
    } finally {
      vi.useRealTimers();
    }
  });
});

withRedis("in Redis", () => {
  test("processes whose clocks differ by minutes count together, by the store's clock", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: startMs });
    try {
      const limiters = [upstashAt(), upstashAt()];
      const identifier = newIdentifier();
      const windowMs = 60 * minuteMs;
      const allowed = [];
      for (const [index, limiter] of limiters.entries()) {
        vi.setSystemTime(startMs + index * 10 * windowMs);
        allowed.push(await takeMany(limiter, 40, identifier, 60, windowMs));
      }
      expect(allowed).toEqual([40, 20]);
    } finally {
      vi.useRealTimers();
    }
  });

  test("a store whose clock was set back by more than a window starts over instead of refusing until it catches up", async () => {
    const limiter = newUpstashLimiter();
    const identifier = newIdentifier();
    nowMs = startMs;
    expect(await takeMany(limiter, 5, identifier, 5)).toBe(5);
    nowMs -= 30_000;
    expect(await limiter.take(identifier, 5, minuteMs)).toMatchObject({
      isAllowed: false,
      resetMs: 90_000,
    });
    nowMs -= 60 * minuteMs;
    expect(await limiter.take(identifier, 5, minuteMs)).toMatchObject({
      isAllowed: true,
      remaining: 4,
    });
  });

  test("a request is one command once Redis knows the script", async () => {
    const limiter = newUpstashLimiter();
    await limiter.take(newIdentifier(), 5, minuteMs);
    bridge.commands.length = 0;
    await limiter.take(newIdentifier(), 5, minuteMs);
    expect(bridge.commands.map((command) => command.toUpperCase())).toEqual(["EVALSHA"]);
  });

  test("stored entries expire soon after they no longer matter", async () => {
    const redis = new Redis({ url: bridge.url, token: bridge.token, enableTelemetry: false });
    const identifier = newIdentifier();
    await newUpstashLimiter().take(identifier, 5, minuteMs);
    const keys = await redis.keys(`parlance:${identifier}:*`);
    expect(keys).toHaveLength(1);
    const timeToLiveMs = await redis.pttl(keys[0] ?? "");
    expect(timeToLiveMs).toBeGreaterThan(0);
    expect(timeToLiveMs).toBeLessThanOrEqual(minuteMs);
  });

  test("an identifier takes the same memory at any limit", async () => {
    const redis = new Redis({ url: bridge.url, token: bridge.token, enableTelemetry: false });
    const limiter = newUpstashLimiter();
    const identifier = newIdentifier();
    nowMs = startMs;
    for (let step = 0; step < 300; step += 1) {
      await takeMany(limiter, 5, identifier, 1_000_000);
      nowMs += 700;
    }
    const [key = ""] = await redis.keys(`parlance:${identifier}:*`);
    expect(await redis.hlen(key)).toBeLessThanOrEqual(62);
  });

  test("the bridge talks to Upstash's client like Upstash", async () => {
    const redis = new Redis({ url: bridge.url, token: bridge.token, enableTelemetry: false });
    const key = newIdentifier();
    expect(await redis.set(key, "grüße, 世界")).toBe("OK");
    expect(await redis.get(key)).toBe("grüße, 世界");
    expect(await redis.get("nothing")).toBeNull();
    expect(await redis.pipeline().incr(`${key}:a`).incr(`${key}:a`).get(key).exec()).toEqual([
      1,
      2,
      "grüße, 世界",
    ]);
    expect(
      await redis.multi().rpush(`${key}:list`, "x", "y").lrange(`${key}:list`, 0, -1).exec(),
    ).toEqual([2, ["x", "y"]]);

    const hash = await redis.scriptLoad("return {ARGV[1], 7}");
    expect(await redis.evalsha(hash, [], ["text"])).toEqual(["text", 7]);
    await expect(redis.eval("#!lua flags=allow-key-locking\nreturn 7", [], [])).rejects.toThrow(
      "Unexpected flag in script shebang",
    );
    await expect(redis.evalsha("0".repeat(40), [], [])).rejects.toThrow("NOSCRIPT");
    await expect(redis.incr(key)).rejects.toThrow("ERR value is not an integer");
    const stranger = new Redis({ url: bridge.url, token: "wrong", enableTelemetry: false });
    await expect(stranger.get(key)).rejects.toThrow("WRONGPASS");
  });

  test("while the store is silent, the process counts in memory and tries it once a second, and they count together again when it responds", async () => {
    vi.spyOn(logOf("rate-limit"), "error").mockImplementation(() => undefined);
    const responds = vi.spyOn(logOf("rate-limit"), "info").mockImplementation(() => undefined);
    let elapsedMs = 0;
    const limiter = upstashRateLimiter({
      url: bridge.url,
      token: bridge.token,
      timeoutMs: 200,
      elapsedMs: () => elapsedMs,
    });
    const others = upstashAt();
    const identifier = newIdentifier();
    const take = () => limiter.take(identifier, 20, 60 * minuteMs);
    try {
      bridge.stopAnswering();
      for (let asked = 0; asked < 5; asked += 1)
        expect(await take()).toMatchObject({ isAllowed: true, remaining: 19 - asked });
      const askedBefore = bridge.requests();
      for (let asked = 5; asked < 20; asked += 1)
        expect(await take()).toMatchObject({ isAllowed: true, remaining: 19 - asked });
      expect(await take()).toMatchObject({ isAllowed: false, remaining: 0 });
      expect(bridge.requests()).toBe(askedBefore);
      expect(limiter.fallbacks.count).toBe(21);

      elapsedMs += 1_000;
      await takeMany(limiter, 5, newIdentifier(), 20);
      expect(bridge.requests()).toBeGreaterThan(askedBefore);

      bridge.recover();
      const isTogether = async () => {
        elapsedMs += 1_000;
        await limiter.peek(identifier, 20, minuteMs);
        expect(responds).toHaveBeenCalled();
      };
      await vi.waitFor(isTogether, { interval: 1, timeout: 120_000 });
      const another = newIdentifier();
      expect(await takeMany(limiter, 3, another, 5, 60 * minuteMs)).toBe(3);
      expect(await takeMany(others, 3, another, 5, 60 * minuteMs)).toBe(2);
    } finally {
      bridge.recover();
    }
  });

  test("an outage grants no second limit to identifiers that used up theirs", async () => {
    vi.spyOn(logOf("rate-limit"), "error").mockImplementation(() => undefined);
    const limiter = upstashAt();
    const identifier = newIdentifier();
    expect(await takeMany(limiter, 7, identifier, 5, 60 * minuteMs)).toBe(5);
    try {
      bridge.refuseScripts();
      expect(await takeMany(limiter, 7, identifier, 5, 60 * minuteMs)).toBe(0);
    } finally {
      bridge.recover();
    }
  });

  test("a store that takes a second for each response counts", async () => {
    try {
      bridge.respondAfter(1_100);
      await probeUpstash(bridge, 20_000);
    } finally {
      bridge.recover();
    }
  });

  test("a store that takes commands but rejects the script is found by the probe, and the limit holds meanwhile", async () => {
    const errors = vi.spyOn(logOf("rate-limit"), "error").mockImplementation(() => undefined);
    await probeUpstash(bridge, 20_000);
    try {
      bridge.refuseScripts();
      await expect(probeUpstash(bridge, 20_000)).rejects.toThrow(
        "Unexpected flag in script shebang",
      );
      const limiter = upstashAt();
      expect(await takeMany(limiter, 70, newIdentifier(), 60)).toBe(60);
      expect(limiter.fallbacks.count).toBe(70);
      expect(JSON.stringify(errors.mock.calls)).toContain("Unexpected flag in script shebang");
    } finally {
      bridge.recover();
    }
  });

  test("with a wrong token the process counts by itself, and the log names no identifier", async () => {
    const errors = vi.spyOn(logOf("rate-limit"), "error").mockImplementation(() => undefined);
    const limiter = upstashRateLimiter({
      url: bridge.url,
      token: "wrong",
      timeoutMs: 20_000,
    });
    expect(await limiter.take("ada@example.com", 5, minuteMs)).toMatchObject({
      isAllowed: true,
      limit: 5,
      remaining: 4,
    });
    expect(limiter.fallbacks.count).toBe(1);
    expect(errors).toHaveBeenCalledTimes(1);
    expect(JSON.stringify(errors.mock.calls)).toContain("WRONGPASS");
    expect(JSON.stringify(errors.mock.calls)).not.toContain("ada@example.com");
  });
});

describe("without a store", () => {
  test("the limit holds in this process; that is logged once a second, and counted", async () => {
    const errors = vi.spyOn(logOf("rate-limit"), "error").mockImplementation(() => undefined);
    let elapsedMs = 0;
    const limiter = upstashRateLimiter({
      url: `http://127.0.0.1:${await closedPort()}`,
      token: "any",
      timeoutMs: 20_000,
      elapsedMs: () => elapsedMs,
    });
    expect(await takeMany(limiter, 50, "someone", 3)).toBe(3);
    expect(await limiter.peek("someone", 3, minuteMs)).toEqual({
      isAllowed: false,
      limit: 3,
      remaining: 0,
      resetMs: minuteMs,
    });
    expect(limiter.fallbacks.count).toBe(51);
    expect(limiter.fallbacks.lastAtMs).not.toBeNull();
    expect(errors).toHaveBeenCalledTimes(1);
    expect(JSON.stringify(errors.mock.calls)).toContain("ECONNREFUSED");

    elapsedMs += 1_000;
    await limiter.take("someone", 3, minuteMs);
    expect(errors).toHaveBeenCalledTimes(2);
  });

  test.each(["take", "peek"] as const)(
    "a store that never responds delays a %s no longer than its deadline",
    async (verb) => {
      const errors = vi.spyOn(logOf("rate-limit"), "error").mockImplementation(() => undefined);
      const store = await openHostile("accepts and stays silent");
      const limiter = upstashRateLimiter({ url: store.url, token: "any", timeoutMs: 50 });
      expect(await limiter[verb]("someone", 3, minuteMs)).toMatchObject({
        isAllowed: true,
        limit: 3,
      });
      expect(limiter.fallbacks.count).toBe(1);
      expect(errors).toHaveBeenCalledTimes(1);
      await store.close();
    },
  );
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
    return await import("@/lib/platform/rate-limit/rate-limiter");
  }
  const forget = () => {
    delete shared.parlanceRateLimit;
    vi.unstubAllEnvs();
  };
  beforeEach(forget);
  afterEach(forget);

  test("is in memory without a configured store, and a single one even if the module is loaded twice", async () => {
    const first = await loadWith({});
    expect(first.rateLimitStore()).toEqual({
      name: "memory",
      fallbacks: { count: 0, lastAtMs: null },
    });
    const limiter = first.rateLimiter();
    expect((await loadWith({})).rateLimiter()).toBe(limiter);
  });

  test("is Upstash's when its address and token are configured, and counts by itself during an outage", async () => {
    const loaded = await loadWith({
      UPSTASH_REDIS_REST_URL: `http://127.0.0.1:${await closedPort()}`,
      UPSTASH_REDIS_REST_TOKEN: "any",
    });
    expect(loaded.rateLimitStore()).toMatchObject({ name: "upstash", fallbacks: { count: 0 } });
    const taken = [];
    for (let index = 0; index < 4; index += 1)
      taken.push((await loaded.rateLimiter().take("someone", 3, minuteMs)).isAllowed);
    expect(taken).toEqual([true, true, true, false]);
    expect(loaded.rateLimitStore().fallbacks.count).toBe(4);
  });

  test("the throttles for sign-in and for invalid keys hold during an outage of the store", async () => {
    await loadWith({
      UPSTASH_REDIS_REST_URL: `http://127.0.0.1:${await closedPort()}`,
      UPSTASH_REDIS_REST_TOKEN: "any",
    });
    const { maximumProviderSignIns, mayReturnFromProvider } = await import("@/lib/auth/throttle");
    const { authenticate } = await import("@/lib/api/authenticate");
    const address = "203.0.113.50";
    const signIns = await Promise.all(
      Array.from({ length: maximumProviderSignIns + 5 }, () => mayReturnFromProvider(address)),
    );
    expect(signIns.filter(Boolean)).toHaveLength(maximumProviderSignIns);

    const guess = () =>
      authenticate(new Request("http://localhost/"), address).catch(({ kind }) => kind);
    const kinds = await Promise.all(Array.from({ length: 310 }, guess));
    expect([
      kinds.filter((kind) => kind === "unauthorized").length,
      kinds.filter((kind) => kind === "rate-limited").length,
    ]).toEqual([300, 10]);
  });

  test.skipIf(redisServer === null)(
    "doctor reports a store that takes commands but rejects the limiter's script",
    async () => {
      const store = { UPSTASH_REDIS_REST_URL: bridge.url, UPSTASH_REDIS_REST_TOKEN: bridge.token };
      expect((await runAdmin(["doctor"], store)).output).toMatch(
        /ok {5}rate limiter: Upstash at 127\.0\.0\.1:\d+ counts/,
      );
      try {
        bridge.refuseScripts();
        const { output, exitCode } = await runAdmin(["doctor"], store);
        expect(output).toMatch(
          /WRONG {2}rate limiter: Upstash at \S+ cannot count \(.*Unexpected flag in script shebang/,
        );
        expect(exitCode).toBe(1);
      } finally {
        bridge.recover();
      }
    },
  );

  test.skipIf(redisServer === null)(
    "the boot says in the log that a store rejects the script",
    async () => {
      const loaded = await loadWith({
        UPSTASH_REDIS_REST_URL: bridge.url,
        UPSTASH_REDIS_REST_TOKEN: bridge.token,
      });
      const { logOf } = await import("@/lib/platform/log");
      const errors = vi.spyOn(logOf("rate-limit"), "error").mockImplementation(() => undefined);
      await loaded.probeRateLimitStore();
      expect(errors).not.toHaveBeenCalled();
      try {
        bridge.refuseScripts();
        await loaded.probeRateLimitStore();
      } finally {
        bridge.recover();
      }
      expect(JSON.stringify(errors.mock.calls)).toContain("Unexpected flag in script shebang");
    },
  );
});

/** A port on which nothing listens. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
