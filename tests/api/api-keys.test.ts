import { expect, test } from "vitest";
import { scopes } from "@/lib/api-keys/scopes";
import {
  createApiKey,
  findPredecessor,
  getApiKey,
  listApiKeys,
  revokeApiKey,
  rollApiKey,
  updateApiKey,
} from "@/lib/api-keys/service";
import {
  type ApiKeyStatus,
  apiKeyStatus,
  apiKeyStatuses,
  type StatusFacts,
} from "@/lib/api-keys/status";
import { type Caller, type Identity, mutate, reader } from "@/lib/platform/caller";
import { db } from "@/lib/platform/db";
import { newId } from "@/lib/resources/ids";
import { setPlan } from "@/lib/tenants/service";
import type { Plan, Role } from "@/prisma/generated/enums";
import { call, newKey, newTenant, type TestTenant, withoutIds } from "../support/api";
import { newMember } from "../support/people";

const page = { limit: 100, order: "desc" as const };
const dayMs = 24 * 3_600_000;

const statusOf = async (key: string, path = "/account") =>
  (await call({ key }, "GET", path)).status;

/** Within a second on every process, on an idle machine. */
const soon = (key: string, path?: string) =>
  expect.poll(() => statusOf(key, path), { interval: 25 });

async function asMember({ tenantId, identity }: TestTenant, role: Role): Promise<Identity> {
  const { id } = await newMember(tenantId, role);
  return { ...identity, actor: { type: "USER", id, role } };
}

const auditOf = (tenant: TestTenant, targetId: string) =>
  db().auditEntry.findMany({
    where: { tenantId: tenant.tenantId, targetId },
    orderBy: { sequence: "asc" },
  });

test("200 with both keys during the overlap of a roll, with the same settings, and 401 with the old key after it", async () => {
  const tenant = await newTenant({
    scopes: ["read:usage", "write:customers"],
    rateLimitPerMinute: 77,
    allowedIps: ["127.0.0.0/8"],
  });

  const { apiKey, key, replaced } = await mutate(tenant.identity, (caller) =>
    rollApiKey(caller, tenant.keyId, "1h"),
  );

  expect(apiKey).toMatchObject({
    scopes: ["read:usage", "write:customers"],
    rateLimitPerMinute: 77,
    allowedIps: ["127.0.0.0/8"],
  });
  expect(apiKey).toMatchObject({ name: replaced.name, expiresAt: null, replacedById: null });
  expect([await statusOf(tenant.key), await statusOf(key)]).toEqual([200, 200]);
  expect((await call({ key }, "GET", "/account")).body).toMatchObject({
    key: { id: apiKey.id },
    rateLimit: { limit: 77 },
  });
  expect(apiKeyStatus(replaced, new Date())).toBe("rolling");
  expect(Math.round(((replaced.expiresAt?.getTime() ?? 0) - Date.now()) / 60_000)).toBe(60);
  expect(await findPredecessor(reader(tenant.identity), apiKey.id)).toMatchObject({
    id: tenant.keyId,
  });

  await db().apiKey.updateMany({ where: { id: tenant.keyId }, data: { expiresAt: new Date() } });
  await soon(tenant.key).toBe(401);
  expect(await statusOf(key)).toBe(200);
});

test("401 with the old key immediately after a roll without overlap", async () => {
  const tenant = await newTenant();
  expect(await statusOf(tenant.key)).toBe(200);
  const { key } = await mutate(tenant.identity, (caller) =>
    rollApiKey(caller, tenant.keyId, "now"),
  );
  await soon(tenant.key).toBe(401);
  expect(await statusOf(key)).toBe(200);
});

test("201 of the old key is replayed for the new key", async () => {
  const tenant = await newTenant();
  const headers = { "idempotency-key": "before the roll" };
  const first = await call(tenant, "POST", "/customers", { name: "Ada" }, headers);
  const { key } = await mutate(tenant.identity, (caller) =>
    rollApiKey(caller, tenant.keyId, "now"),
  );

  const replayed = await call({ key }, "POST", "/customers", { name: "Ada" }, headers);

  expect([first.status, replayed.status, replayed.text]).toEqual([201, 201, first.text]);
  expect(replayed.headers.get("idempotent-replayed")).toBe("true");
});

test("a rolled key gets the lifetime of the old one, and the old key never outlives its own expiry", async () => {
  const tenant = await newTenant({ expiresAt: new Date(Date.now() + dayMs) });
  await db().apiKey.updateMany({
    where: { id: tenant.keyId },
    data: { createdAt: new Date(Date.now() - 29 * dayMs) },
  });
  const { apiKey, replaced } = await mutate(tenant.identity, (caller) =>
    rollApiKey(caller, tenant.keyId, "7d"),
  );
  expect(Math.round(((apiKey.expiresAt?.getTime() ?? 0) - Date.now()) / dayMs)).toBe(30);
  expect(Math.round(((replaced.expiresAt?.getTime() ?? 0) - Date.now()) / dayMs)).toBe(1);
});

test("a key is rolled once under concurrent requests, and not after it has ended", async () => {
  const tenant = await newTenant();
  const roll = () => mutate(tenant.identity, (caller) => rollApiKey(caller, tenant.keyId, "24h"));
  const results = await Promise.allSettled([roll(), roll(), roll()]);
  expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected", "rejected"]);
  await expect(roll()).rejects.toMatchObject({ kind: "rotation-in-progress" });
  await mutate(tenant.identity, (caller) => revokeApiKey(caller, tenant.keyId));
  await expect(roll()).rejects.toMatchObject({ kind: "invalid-transition" });
  expect((await listApiKeys(reader(tenant.identity), page)).data).toHaveLength(2);
});

test("an environment has at most 100 valid keys, also when several are made concurrently, and a leaked one can still be rolled", async () => {
  const tenant = await newTenant();
  const more = (count: number, facts: object = {}) =>
    db().apiKey.createMany({
      data: Array.from({ length: count }, () => {
        const id = newId("apiKey");
        const fields = {
          id,
          name: "key",
          hash: Buffer.from(id),
          hint: "…",
          scopes: [],
          allowedIps: [],
          createdAt: new Date(),
        };
        return { ...tenant.identity.partition, ...fields, ...facts };
      }),
    });
  await more(97);
  await more(5, { revokedAt: new Date() });
  await more(5, { expiresAt: new Date() });

  const make = () => newKey(tenant).then(() => "made");
  const made = await Promise.allSettled(Array.from({ length: 6 }, make));
  expect(made.filter(({ status }) => status === "fulfilled")).toHaveLength(2);
  for (const result of made) {
    if (result.status === "rejected") {
      expect(result.reason).toMatchObject({
        kind: "limit-reached",
        members: { limit: 100, current: 100 },
      });
    }
  }
  expect((await newKey(tenant, { environment: "live" })).environment).toBe("live");

  const roll = (overlap: "now" | "24h") =>
    mutate(tenant.identity, (caller) => rollApiKey(caller, tenant.keyId, overlap));
  await expect(roll("24h")).rejects.toMatchObject({
    kind: "limit-reached",
    members: { limit: 100, current: 100 },
  });
  expect((await roll("now")).apiKey.id).toMatch(/^key_/);
});

test("403 after a scope is removed, 200 after one is added", async () => {
  const tenant = await newTenant({ scopes: ["read:usage"] });
  expect([await statusOf(tenant.key), await statusOf(tenant.key, "/customers")]).toEqual([
    200, 403,
  ]);

  await mutate(tenant.identity, (caller) =>
    updateApiKey(caller, tenant.keyId, { scopes: ["read:customers"] }),
  );
  await soon(tenant.key).toBe(403);
  await soon(tenant.key, "/customers").toBe(200);

  await mutate(tenant.identity, (caller) =>
    updateApiKey(caller, tenant.keyId, { allowedIps: ["203.0.113.0/24"] }),
  );
  await soon(tenant.key, "/customers").toBe(403);
});

test("the audit log records changes with before and after, and nothing where nothing changed", async () => {
  const tenant = await newTenant();
  const update = (input: Parameters<typeof updateApiKey>[2]) =>
    mutate(tenant.identity, (caller: Caller) => updateApiKey(caller, tenant.keyId, input));
  await update({ name: "key", rateLimitPerMinute: 100_000 });
  await update({ name: "Renamed", scopes: ["read:usage"] });
  const { apiKey } = await mutate(tenant.identity, (caller) =>
    rollApiKey(caller, tenant.keyId, "1h"),
  );
  await mutate(tenant.identity, (caller) => revokeApiKey(caller, tenant.keyId));

  const entries = await auditOf(tenant, tenant.keyId);
  expect(entries.map(({ action }) => action)).toEqual([
    "api_key.created",
    "api_key.updated",
    "api_key.rolled",
    "api_key.revoked",
  ]);
  expect(entries[1]?.changes).toEqual({
    before: { name: "key", scopes },
    after: { name: "Renamed", scopes: ["read:usage"] },
  });
  expect(entries[2]?.changes).toMatchObject({ after: { replacedById: apiKey.id } });
  expect((await auditOf(tenant, apiKey.id))[0]?.changes).toMatchObject({
    after: { replaces: tenant.keyId },
  });
  expect(JSON.stringify(entries)).not.toContain(tenant.key);
});

test("only owners and admins roll and change keys, and never beyond the limit of their plan", async () => {
  const tenant = await newTenant();
  const roll = async (role: Role) =>
    mutate(await asMember(tenant, role), (caller) => rollApiKey(caller, tenant.keyId, "1h"));
  const limit = async (rateLimitPerMinute: number | null) =>
    mutate(await asMember(tenant, "ADMIN"), (caller) =>
      updateApiKey(caller, tenant.keyId, { rateLimitPerMinute }),
    );
  const rename = async (role: Role) =>
    mutate(await asMember(tenant, role), (caller) =>
      updateApiKey(caller, tenant.keyId, { name: "Mine" }),
    );
  for (const role of ["MEMBER", "VIEWER"] as const) {
    await expect(roll(role)).rejects.toMatchObject({ name: "RoleMissing" });
    await expect(rename(role)).rejects.toMatchObject({ name: "RoleMissing" });
  }
  await expect(limit(61)).rejects.toMatchObject({
    kind: "validation",
    members: { errors: [{ pointer: "/rateLimitPerMinute" }] },
  });
  expect(await limit(60)).toMatchObject({ rateLimitPerMinute: 60 });
  expect(await rename("OWNER")).toMatchObject({ name: "Mine" });
});

const policyOf = async (key: string) =>
  (await call({ key }, "GET", "/account")).headers.get("ratelimit-policy");
const raised = '"default";q=5000;w=60';
const free = '"default";q=60;w=60, "tenant";q=600;w=60';

test("only the newest key has the limit that an operator raised, however often a user rotates it", async () => {
  const tenant = await newTenant({ rateLimitPerMinute: 5_000 });
  const admin = await asMember(tenant, "ADMIN");
  const keys = [tenant.key];
  for (let id = tenant.keyId; keys.length < 4; ) {
    const { apiKey, key } = await mutate(admin, (caller) => rollApiKey(caller, id, "7d"));
    await mutate(admin, (caller) => updateApiKey(caller, apiKey.id, { name: `${keys.length}` }));
    keys.push(key);
    id = apiKey.id;
  }
  expect(await Promise.all(keys.map(policyOf))).toEqual([free, free, free, raised]);
});

test("both keys have the limit that an operator raised if an operator rotates", async () => {
  const tenant = await newTenant({ rateLimitPerMinute: 5_000 });
  const { key } = await mutate(tenant.identity, (caller) => rollApiKey(caller, tenant.keyId, "7d"));
  expect([await policyOf(tenant.key), await policyOf(key)]).toEqual([raised, raised]);
});

test("after a downgrade, only a limit that an operator set exceeds the new plan's, also after a roll", async () => {
  const tenant = await newTenant({ rateLimitPerMinute: 5_000 });
  const admin = await asMember(tenant, "ADMIN");
  const change = (plan: Plan) => mutate(tenant.identity, (caller) => setPlan(caller, plan));
  const create = (rateLimitPerMinute: number | null) =>
    mutate(admin, (caller) =>
      createApiKey(caller, { name: "key", scopes: ["read:usage"], rateLimitPerMinute }),
    );
  await change("SCALE");
  const [chosen, changed] = [await create(6_000), await create(null)];
  await mutate(admin, (caller) =>
    updateApiKey(caller, changed.apiKey.id, { rateLimitPerMinute: 5_000 }),
  );
  await change("FREE");
  const { key } = await mutate(admin, (caller) => rollApiKey(caller, chosen.apiKey.id, "24h"));

  const keys = [chosen.key, key, changed.key, tenant.key];
  expect(await Promise.all(keys.map(policyOf))).toEqual([free, free, free, raised]);
  const account = await call({ key }, "GET", "/account");
  expect(account.body.rateLimit).toEqual({ limit: 60, windowSeconds: 60 });

  await change("SCALE");
  await expect.poll(() => policyOf(key)).toBe('"default";q=6000;w=60, "tenant";q=60000;w=60');
});

test("404 is the same for keys of another tenant, of the other environment, and for a missing key", async () => {
  const tenant = await newTenant();
  const strangers = [await newTenant(), await newKey(tenant, { environment: "live" })];
  const missing = newId("apiKey");
  for (const { identity } of strangers) {
    const works: ((id: string) => Promise<unknown>)[] = [
      (id) => getApiKey(reader(identity), id),
      (id) => mutate(identity, (caller) => updateApiKey(caller, id, { name: "Mine" })),
      (id) => mutate(identity, (caller) => rollApiKey(caller, id, "now")),
      (id) => mutate(identity, (caller) => revokeApiKey(caller, id)),
    ];
    for (const work of works) {
      const refusal = (id: string) =>
        work(id).then(
          () => "done",
          ({ kind, detail }) => withoutIds({ kind, detail }),
        );
      expect(await refusal(tenant.keyId)).toMatchObject({ kind: "not-found" });
      expect(await refusal(tenant.keyId)).toEqual(await refusal(missing));
    }
  }
  expect(await statusOf(tenant.key)).toBe(200);
});

test("keys are listed by status as each is shown, page by page", async () => {
  const tenant = await newTenant();
  const now = new Date();
  const times = [null, -40, -1, 1, 40].map((days) =>
    days === null ? null : new Date(now.getTime() + days * dayMs),
  );
  const made: StatusFacts[] = [];
  for (const [revokedAt, suspendedAt] of [
    [null, null],
    [now, null],
    [null, now],
    [now, now],
  ] as const)
    for (const expiresAt of times)
      for (const replacedById of [null, newId("apiKey")])
        for (const lastUsedAt of times.slice(0, 3))
          for (const createdAt of times.slice(1, 3)) {
            // Only a key that ends is ever replaced.
            if (createdAt && !(replacedById && !expiresAt))
              made.push({ revokedAt, suspendedAt, expiresAt, replacedById, lastUsedAt, createdAt });
          }
  await db().apiKey.deleteMany({ where: tenant.identity.partition });
  const ids = made.map(() => newId("apiKey"));
  await db().apiKey.createMany({
    data: made.map((facts, index) => ({
      ...tenant.identity.partition,
      ...{
        id: ids[index] ?? "",
        name: "key",
        hash: Buffer.from(`${ids[index]}`),
        hint: "…",
        scopes: [],
        allowedIps: [],
        ...facts,
      },
    })),
  });
  const listed: Record<string, ApiKeyStatus> = {};
  for (const status of apiKeyStatuses) {
    let cursor: string | undefined;
    do {
      const { data, nextCursor } = await listApiKeys(
        reader(tenant.identity),
        { limit: 7, order: "desc", status, cursor },
        now,
      );
      for (const { id } of data) {
        expect(listed[id]).toBeUndefined();
        listed[id] = status;
      }
      cursor = nextCursor;
    } while (cursor);
  }
  expect(listed).toEqual(
    Object.fromEntries(made.map((facts, index) => [ids[index], apiKeyStatus(facts, now)])),
  );
  expect(new Set(Object.values(listed))).toEqual(new Set(apiKeyStatuses));
});
