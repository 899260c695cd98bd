import { setImmediate as nextTurn } from "node:timers/promises";
import { hash } from "@node-rs/argon2";
import { expect, test } from "vitest";
import { hashPassword, verifyPassword } from "@/lib/auth/password";

test("a hash is argon2id with 19 MiB, two passes, one lane and its own salt", async () => {
  const hashes = await Promise.all([hashPassword("correct horse"), hashPassword("correct horse")]);

  for (const hash of hashes) expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(hashes[0]).not.toBe(hashes[1]);
  expect(await verifyPassword(hashes[0] ?? null, "correct horse")).toBe(true);
  expect(await verifyPassword(hashes[0] ?? null, "correct horsf")).toBe(false);
  expect(await verifyPassword(null, "correct horse")).toBe(false);
});

test("at most four hashes run at a time, and all of them end", async () => {
  const shared = globalThis as { parlanceHashQueue?: { running: number; waiting: unknown[] } };
  let open = 20;
  const hashes = Array.from({ length: open }, () =>
    hashPassword("correct horse").finally(() => open--),
  );

  let most = 0;
  while (open > 0) {
    most = Math.max(most, shared.parlanceHashQueue?.running ?? 0);
    await nextTurn();
  }
  expect(most).toBeGreaterThan(1);
  expect(most).toBeLessThanOrEqual(4);
  expect(shared.parlanceHashQueue).toEqual({ running: 0, waiting: [] });
  expect(await Promise.all(hashes)).toHaveLength(20);
});

test("a storm is refused past its queue instead of piling up", async () => {
  const cheapHash = await hash("correct horse", { memoryCost: 8, timeCost: 1 });
  const results = await Promise.allSettled(
    Array.from({ length: 410 }, () => verifyPassword(cheapHash, "correct horse")),
  );

  const refused = results.flatMap((result) =>
    result.status === "rejected" ? [result.reason] : [],
  );
  expect(refused).toHaveLength(7);
  for (const reason of refused) expect(reason).toMatchObject({ kind: "unavailable" });
});
