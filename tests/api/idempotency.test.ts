import { describe, expect, test } from "vitest";
import { type Db, db, pool } from "@/lib/platform/db";
import { call, newKey, newTenant, patiently, send, type TestTenant } from "../support/api";
import { countWaiting } from "../support/locks";
import { interceptQueries } from "../support/queries";

const key = (value: string) => ({ "idempotency-key": value });
/** Another process's transaction that has claimed the key "k" and does not end. */
async function holdKey(transaction: Db, { identity }: TestTenant) {
  const record = {
    fingerprint: new Uint8Array(32),
    status: 201,
    body: "",
    createdAt: new Date(),
    expiresAt: new Date(),
  };
  await transaction.idempotencyRecord.create({
    data: { ...identity.partition, key: "k", ...record },
  });
}

const listed = async (tenant: TestTenant, path: string) =>
  (await call(tenant, "GET", `${path}?limit=100`)).body.data;

describe.each([
  ["a conversation, in one statement", "/conversations", { channelId: "web", message: "Hello" }],
  [
    "a conversation with a new customer, in one statement",
    "/conversations",
    { channelId: "web", message: "Hello", customer: { name: "Ada" } },
  ],
  ["an agent, in a transaction", "/agents", { name: "Ada" }],
])("creating %s", (_what, path, body) => {
  test("50 concurrent requests with one key create one and get 50 equal responses", async () => {
    const tenant = await newTenant();

    const send = () => call(tenant, "POST", path, body, key("one"));
    const replies = await Promise.all(Array.from({ length: 50 }, () => patiently(send)));

    expect(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(replies[0]?.status).toBe(201);
    expect(
      replies.filter(({ headers }) => headers.get("idempotent-replayed") === "true"),
    ).toHaveLength(49);
    expect(await listed(tenant, path)).toHaveLength(1);
    expect(
      (await listed(tenant, "/events")).filter(
        ({ type }: { type: string }) => type === `${path.slice(1, -1)}.created`,
      ),
    ).toHaveLength(1);
  });

  test("422 idempotency-key-reused for another body, path or query, and nothing is created", async () => {
    const tenant = await newTenant();
    await call(tenant, "POST", path, body, key("k"));

    for (const [otherPath, other] of [
      [path, { ...body, metadata: { plan: "gold" } }],
      [path, { ...body, metadata: 7 }],
      ["/customers", { name: "Ada" }],
      [`${path}?unknown=1`, body],
    ] as const) {
      const reply = await call(tenant, "POST", otherPath, other, key("k"));
      expect(reply).toMatchObject({
        status: 422,
        body: { type: expect.stringMatching(/\/errors\/idempotency-key-reused$/) },
      });
    }
    expect(await listed(tenant, path)).toHaveLength(1);
  });

  test("an idempotency key is separate for each tenant and environment, and shared by the API keys of one", async () => {
    const tenant = await newTenant();
    const first = await call(tenant, "POST", path, body, key("k"));

    for (const other of [await newTenant(), await newKey(tenant, { environment: "live" })]) {
      const reply = await call(other, "POST", path, body, key("k"));
      expect(reply.body.id).not.toBe(first.body.id);
      expect(reply.headers.get("idempotent-replayed")).toBeNull();
    }
    const rolled = await call(await newKey(tenant), "POST", path, body, key("k"));
    expect(rolled.text).toBe(first.text);
  });

  test("after 24 hours the key is free again", async () => {
    const tenant = await newTenant();
    const first = await call(tenant, "POST", path, body, key("k"));
    const shift = (milliseconds: number) =>
      db().idempotencyRecord.updateMany({
        where: { tenantId: tenant.tenantId },
        data: { expiresAt: new Date(Date.now() + milliseconds) },
      });

    await shift(60_000);
    expect((await call(tenant, "POST", path, body, key("k"))).text).toBe(first.text);
    await shift(-60_000);
    const second = await call(tenant, "POST", path, body, key("k"));

    expect(second.status).toBe(201);
    expect(second.body.id).not.toBe(first.body.id);
    expect((await call(tenant, "POST", path, body, key("k"))).text).toBe(second.text);
  });
});

test("40 keys that several requests send at once make 40 changes, and each request gets its own key's response", async () => {
  const tenant = await newTenant();
  const live = await newKey(tenant, { environment: "live" });
  const names = Array.from({ length: 20 }, (_, index) => `key ${index}`);
  const rounds = await Promise.all(
    [tenant, live].flatMap((sender) =>
      names.map(async (name) => {
        const post = (channelId: string) => () =>
          call(sender, "POST", "/conversations", { channelId, message: name }, key(name));
        const replies = await Promise.all([
          ...["a", "a", "a"].map((letter) => patiently(post(`${name} ${letter}`))),
          patiently(post(`${name} b`)),
        ]);
        return { name, sender, replies };
      }),
    ),
  );
  const ids = new Set<string>();
  for (const { name, sender, replies } of rounds) {
    const made = replies.filter(({ status }) => status === 201);
    const isOfA = made.length === 3;
    expect(replies.map(({ status }) => status)).toEqual(
      isOfA ? [201, 201, 201, 422] : [422, 422, 422, 201],
    );
    expect(new Set(made.map(({ text }) => text)).size).toBe(1);
    expect(made.filter(({ headers }) => !headers.has("idempotent-replayed"))).toHaveLength(1);
    expect(made[0]?.body).toMatchObject({
      environment: sender.environment,
      channelId: `${name} ${isOfA ? "a" : "b"}`,
      lastMessagePreview: name,
    });
    ids.add(made[0]?.body.id);
  }
  expect(ids.size).toBe(40);
  for (const sender of [tenant, live])
    expect(await listed(sender, "/conversations")).toHaveLength(20);
});

test("a record lives for 24 hours", async () => {
  const tenant = await newTenant();
  const before = Date.now();
  await call(tenant, "POST", "/conversations", { channelId: "web" }, key("k"));
  const record = await db().idempotencyRecord.findFirstOrThrow({
    where: { tenantId: tenant.tenantId },
  });
  const dayMs = 24 * 3_600_000;
  expect(record.expiresAt.getTime()).toBeGreaterThanOrEqual(before + dayMs);
  expect(record.expiresAt.getTime()).toBeLessThanOrEqual(Date.now() + dayMs);
});

test("messages, patches and deletions are replayed too, each executed once", async () => {
  const tenant = await newTenant();
  const { body: conversation } = await call(tenant, "POST", "/conversations", { channelId: "web" });
  const { body: webhook } = await call(tenant, "POST", "/webhooks", {
    url: "https://example.com/",
    events: ["*"],
  });
  const requests = [
    ["POST", `/conversations/${conversation.id}/messages`, { text: "Hi" }],
    ["PATCH", `/conversations/${conversation.id}`, { status: "PENDING" }],
    ["DELETE", `/webhooks/${webhook.id}`, undefined],
  ] as const;

  for (const [method, path, body] of requests) {
    const request = () => call(tenant, method, path, body, key(`${method} ${path}`));
    const replies = await Promise.all(Array.from({ length: 10 }, () => patiently(request)));
    expect(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(replies[0]?.status).toBeLessThan(300);
  }
  const counted = await call(tenant, "GET", `/conversations/${conversation.id}`);
  expect(counted.body).toMatchObject({ messageCount: 1, status: "PENDING" });
});

test("a refusal is replayed even if the request would succeed now", async () => {
  const tenant = await newTenant();
  const body = { channelId: "web", customerId: "cus_00000000000000000000000000" };
  const refused = await call(tenant, "POST", "/conversations", body, key("k"));
  await db().customer.create({
    data: {
      ...tenant.identity.partition,
      id: body.customerId,
      name: "Ada",
      createdAt: new Date(),
      updatedAt: new Date(),
    },
  });

  const again = await call(tenant, "POST", "/conversations", body, key("k"));

  expect(refused.status).toBe(404);
  expect(again.text).toBe(refused.text);
  expect(again.headers.get("content-type")).toBe("application/problem+json");
  expect(again.headers.get("idempotent-replayed")).toBe("true");
  expect((await call(tenant, "POST", "/conversations", body, key("k2"))).status).toBe(201);
});

test("requests refused before execution are not stored: bad bodies, missing scopes, too many requests", async () => {
  const tenant = await newTenant();
  expect((await call(tenant, "POST", "/conversations", {}, key("k"))).status).toBe(422);
  expect((await call(tenant, "POST", "/conversations", "{", key("k"))).status).toBe(400);
  expect(
    (
      await call(
        await newKey(tenant, { scopes: ["read:usage"] }),
        "POST",
        "/conversations",
        { channelId: "web" },
        key("k"),
      )
    ).status,
  ).toBe(403);
  expect(
    (await call(tenant, "POST", "/conversations", { channelId: "web" }, key("k"))).status,
  ).toBe(201);
});

test("a secret in a stored response is encrypted at rest and replayed unchanged", async () => {
  const tenant = await newTenant();
  const body = { url: "https://example.com/", events: ["*"] };
  const first = await call(tenant, "POST", "/webhooks", body, key("k"));
  const again = await call(tenant, "POST", "/webhooks", body, key("k"));

  expect(again.text).toBe(first.text);
  expect(again.body.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  const rows = await db().$queryRaw<{ text: string }[]>`
    SELECT row_to_json(r)::text AS text FROM idempotency_records r WHERE tenant_id = ${tenant.tenantId}
    UNION ALL SELECT row_to_json(s)::text FROM webhook_secrets s WHERE tenant_id = ${tenant.tenantId}
    UNION ALL SELECT row_to_json(a)::text FROM audit_entries a WHERE tenant_id = ${tenant.tenantId}
    UNION ALL SELECT row_to_json(e)::text FROM events e WHERE tenant_id = ${tenant.tenantId}`;
  expect(rows.length).toBeGreaterThan(2);
  for (const { text } of rows) expect(text).not.toContain(first.body.secret.slice(6));
});

test.each(["", "x".repeat(256), "tab\tin it"])(
  "400 invalid-idempotency-key for %j",
  async (value) => {
    const tenant = await newTenant();
    const reply = await call(tenant, "POST", "/conversations", { channelId: "web" }, key(value));
    expect(reply).toMatchObject({
      status: 400,
      body: { type: expect.stringMatching(/\/errors\/invalid-idempotency-key$/) },
    });
  },
);

test("quotes around a key are removed", async () => {
  const tenant = await newTenant();
  const first = await call(tenant, "POST", "/conversations", { channelId: "web" }, key("abc"));
  expect(
    (await call(tenant, "POST", "/conversations", { channelId: "web" }, key('"abc"'))).text,
  ).toBe(first.text);
});

test("409 idempotency-in-progress when the first request has not ended after five seconds", async () => {
  const tenant = await newTenant();
  const held = db().$transaction(
    async (transaction) => {
      await holdKey(transaction, tenant);
      const reply = await send("/v1/public/conversations", {
        method: "POST",
        headers: {
          authorization: `Bearer ${tenant.key}`,
          "content-type": "application/json",
          ...key("k"),
        },
        body: JSON.stringify({ channelId: "web" }),
      });
      expect(reply).toMatchObject({
        status: 409,
        body: { type: expect.stringMatching(/\/errors\/idempotency-in-progress$/), retryAfter: 1 },
      });
      expect(reply.headers.get("retry-after")).toBe("1");
      throw new Error("rolled back");
    },
    { timeout: 120_000 },
  );
  await expect(held).rejects.toThrow("rolled back");
  expect(
    (await call(tenant, "POST", "/conversations", { channelId: "web" }, key("k"))).status,
  ).toBe(201);
});

// PostgreSQL names the table of a locked row only to the first who waits for it.
test.each([0, 2])(
  "503 without mention of idempotency when another transaction holds the row itself, and %i others wait for it",
  async (ahead) => {
    const tenant = await newTenant();
    const { id } = (await call(tenant, "POST", "/customers", { name: "Ada" })).body;
    let waiting: Promise<unknown>[] = [];
    await db().$transaction(
      async (transaction) => {
        await transaction.$queryRaw`SELECT 1 FROM customers WHERE id = ${id} FOR UPDATE`;
        waiting = Array.from({ length: ahead }, () =>
          db().$transaction(
            async (other) => {
              await other.$executeRaw`SELECT set_config('lock_timeout', '0', true), set_config('statement_timeout', '0', true)`;
              await other.$queryRaw`SELECT 1 FROM customers WHERE id = ${id} FOR UPDATE`;
            },
            { timeout: 120_000 },
          ),
        );
        await expect.poll(() => countWaiting(pool())).toBe(ahead);
        const reply = await call(tenant, "PATCH", `/customers/${id}`, { name: "Eve" }, key("k"));
        expect(reply).toMatchObject({
          status: 503,
          body: { type: expect.stringMatching(/\/errors\/unavailable$/) },
        });
        expect(reply.headers.get("retry-after")).toBe("1");
      },
      { timeout: 120_000 },
    );
    await Promise.all(waiting);
    const patched = await call(tenant, "PATCH", `/customers/${id}`, { name: "Eve" }, key("k"));
    expect(patched.status).toBe(200);
  },
);

test("422 for the same deletion with another body under one key", async () => {
  const tenant = await newTenant();
  const { id } = (
    await call(tenant, "POST", "/webhooks", { url: "https://example.com/", events: ["*"] })
  ).body;
  await call(tenant, "DELETE", `/webhooks/${id}`, undefined, key("k"));
  expect((await call(tenant, "DELETE", `/webhooks/${id}`, {}, key("k"))).body.type).toMatch(
    /\/errors\/idempotency-key-reused$/,
  );
});

test("requests that wait for one key leave connections for the others", async () => {
  const tenant = await newTenant();
  const held = db().$transaction(
    async (transaction) => {
      await holdKey(transaction, tenant);
      const waiting = Promise.all(
        Array.from({ length: 40 }, () =>
          call(tenant, "POST", "/conversations", { channelId: "web" }, key("k")),
        ),
      );
      for (let index = 0; index < 20; index++) {
        expect(
          (
            await call(
              tenant,
              "POST",
              "/conversations",
              { channelId: "web" },
              key(`other-${index}`),
            )
          ).status,
        ).toBe(201);
      }
      expect(new Set((await waiting).map(({ status }) => status))).toEqual(new Set([409]));
      throw new Error("rolled back");
    },
    { timeout: 120_000 },
  );
  await expect(held).rejects.toThrow("rolled back");
});

test.skipIf(process.env.TEST_SERVER === "next")(
  "the change is made if the response of another request expires before it can be replayed",
  async () => {
    const tenant = await newTenant();
    const { partition } = tenant.identity;
    const record = { ...partition, key: "k", status: 201, body: "{}", createdAt: new Date() };
    const expiresAt = new Date(Date.now() + 3_600_000);
    let lookups = 0;
    // Not an operation that is first tried in one statement.
    const body = { name: "Ada" };
    const created = await interceptQueries(
      async (name, lookUp) => {
        if (!name.startsWith("find_stored_response")) return lookUp();
        lookups++;
        // The record expires after this request has found the key taken.
        if (lookups === 2)
          await db().idempotencyRecord.deleteMany({ where: { ...partition, key: "k" } });
        const found = await lookUp();
        // Another process responds right after this one has looked for a response.
        if (lookups === 1)
          await db().idempotencyRecord.create({
            data: { ...record, fingerprint: new Uint8Array(32), expiresAt },
          });
        return found;
      },
      () => call(tenant, "POST", "/agents", body, key("k")),
    );
    expect(created.status).toBe(201);
    expect(lookups).toBeGreaterThan(1);
    expect((await call(tenant, "POST", "/agents", body, key("k"))).text).toBe(created.text);
    expect(await listed(tenant, "/agents")).toHaveLength(1);
  },
);
