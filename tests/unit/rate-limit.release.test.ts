import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  holdAgainstLog,
  memoryTaker,
  startProcessTaker,
  type Taker,
} from "../support/limiter-property";
import { findRedisServer, startUpstashBridge, type UpstashBridge } from "../support/upstash-bridge";

// The property of rate-limit.test.ts with many more cases. Ten minutes of virtual time each.

const redisServer = findRedisServer();

describe("any window of 60 s holds at most the limit, and none is refused below it", () => {
  test("in memory, 1,000 cases", async () => {
    expect(await holdAgainstLog(() => [memoryTaker()], { numRuns: 1_000 })).toMatchObject({
      cases: 1_000,
      worstWindow: 1,
    });
  }, 300_000);

  describe.skipIf(redisServer === null)("in Redis, 100 cases each", () => {
    let bridge: UpstashBridge;
    let takers: Taker[] = [];
    beforeAll(async () => {
      bridge = await startUpstashBridge(redisServer ?? "");
      takers = await Promise.all([1, 2, 3].map(() => startProcessTaker(bridge)));
    });
    afterAll(async () => {
      await Promise.all(takers.map((taker) => taker.end?.()));
      await bridge.stop();
    });

    test.each([1, 2, 3])(
      "from %i processes",
      async (processes) => {
        expect(
          await holdAgainstLog(() => takers.slice(0, processes), { numRuns: 100 }),
        ).toMatchObject({ cases: 100, worstWindow: 1 });
      },
      300_000,
    );
  });
});
