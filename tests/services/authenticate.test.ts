import { beforeAll, describe, expect, test, vi } from "vitest";
import { authenticate, requireAllowedAddress } from "@/lib/api/authenticate";
import { findKey } from "@/lib/api-keys/key-cache";
import { generateKey, hashKey } from "@/lib/api-keys/key-format";
import { scopes } from "@/lib/api-keys/scopes";
import { createApiKey, updateApiKey } from "@/lib/api-keys/service";
import { type Identity, mutate } from "@/lib/platform/caller";
import { db, pool } from "@/lib/platform/db";
import { createTenant } from "@/lib/tenants/service";
import { stopLimiterClock } from "../support/limiter-clock";

const failures = 300;
let identity: Identity;

beforeAll(async () => {
  stopLimiterClock();
  const tenant = await createTenant(db(), { name: "Authenticate" });
  identity = {
    partition: { tenantId: tenant.id, environment: "test" },
    actor: { type: "OPERATOR", id: "tests" },
    request: null,
    address: null,
  };
});

const newKey = (allowedIps: string[] = []) =>
  mutate(identity, (caller) =>
    createApiKey(caller, { name: "key", scopes: [...scopes], allowedIps }),
  );
const present = (key: string, address: string) =>
  authenticate(
    new Request("http://localhost/v1/public/account", {
      headers: { authorization: `Bearer ${key}` },
    }),
    address,
  );
const kindOf = (attempt: Promise<unknown>) =>
  attempt.then(() => "passed").catch(({ kind }: { kind: string }) => kind);
const guess = (address: string) => kindOf(present(generateKey("live").key, address));

/** Runs `attempt`. @returns how many queries for keys it took */
async function queriesOf(attempt: () => Promise<unknown>): Promise<number> {
  const query = vi.spyOn(pool(), "query");
  try {
    await attempt();
    return query.mock.calls.filter((sent) => JSON.stringify(sent).includes("FROM api_keys")).length;
  } finally {
    query.mockRestore();
  }
}

describe("an address that has guessed 300 keys in a minute", () => {
  const [guesser, other] = ["203.0.113.7", "203.0.113.8"];
  beforeAll(async () => {
    for (let guessed = 0; guessed < failures; guessed += 50)
      await Promise.all(Array.from({ length: 50 }, () => guess(guesser)));
  });

  test("is refused, and no other address is", async () => {
    expect([await guess(guesser), await guess(other)]).toEqual(["rate-limited", "unauthorized"]);
  });

  test("costs no query for each further well-formed guess", async () => {
    expect(await queriesOf(() => guess(other))).toBe(1);
    const queries = await queriesOf(() =>
      Promise.all(Array.from({ length: 500 }, () => guess(guesser))),
    );
    // 128 share one.
    expect(queries).toBeLessThanOrEqual(4);
  });

  test("is still accepted with a valid key, even a new one, in the middle of a flood of guesses", async () => {
    const [known, unseen] = await Promise.all([newKey(), newKey()]);
    await present(known.key, other);
    const flood = Array.from({ length: 500 }, () => guess(guesser));
    const [first, second] = await Promise.all([
      present(known.key, guesser),
      present(unseen.key, guesser),
    ]);
    expect([first.id, second.id]).toEqual([known.apiKey.id, unseen.apiKey.id]);
    expect(new Set(await Promise.all(flood))).toEqual(new Set(["rate-limited"]));
  });

  test("is refused with a revoked key as with any invalid key", async () => {
    const { apiKey, key } = await newKey();
    await db().apiKey.updateMany({ where: { id: apiKey.id }, data: { revokedAt: new Date() } });
    expect(await kindOf(present(key, guesser))).toBe("rate-limited");
  });
});

test("a key used from an address that it does not allow counts as a failure of that address", async () => {
  const { apiKey, key } = await newKey(["198.51.100.0/24"]);
  const known = await findKey(hashKey(key));
  if (!known) throw new Error("the key was just made");
  const address = "203.0.113.20";
  const kinds = [];
  for (let attempt = 0; attempt < failures + 1; attempt += 1)
    kinds.push(await kindOf(requireAllowedAddress(known, address)));
  expect(kinds).toEqual([...Array(failures).fill("ip-not-allowed"), "rate-limited"]);

  await mutate(identity, (caller) =>
    updateApiKey(caller, apiKey.id, { allowedIps: ["203.0.113.20/32"] }),
  );
  const allowed = await vi.waitFor(
    async () => {
      const found = await findKey(hashKey(key));
      expect(found?.isAllowedFrom(address)).toBe(true);
      return found;
    },
    { timeout: 120_000 },
  );
  if (allowed) expect(await kindOf(requireAllowedAddress(allowed, address))).toBe("passed");
});
