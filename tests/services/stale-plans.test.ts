import { beforeAll, expect, test } from "vitest";
import { closeDatabase, pool } from "@/lib/platform/db";
import { call, newTenant, type TestTenant } from "../support/api";
import { explainEverything, plansOf } from "../support/plans";

// A prepared statement keeps its plan until its tables are analyzed. A plan that was made while a
// table was empty reads all of it.

const concurrent = 16;
const records = 5_000;

beforeAll(async () => {
  await explainEverything();
  await closeDatabase();
  // Listens to the connections that are opened from now on.
  await plansOf(async () => {});
});

const postTo = (tenant: TestTenant, paths: string[], body: object, key?: string) =>
  Promise.all(
    paths.map((path, n) =>
      call(tenant, "POST", path, body, key ? { "idempotency-key": `${key}-${n}` } : {}),
    ),
  );

test("shared statements that were planned before there were idempotency records do not read all records", async () => {
  const tenant = await newTenant();
  await pool().query("DELETE FROM idempotency_records");
  await pool().query("ANALYZE idempotency_records");
  const create = Array.from({ length: concurrent }, () => "/conversations");
  const created = await postTo(tenant, create, { channelId: "web" });
  const messages = created.map(({ body }) => `/conversations/${body.id}/messages`);
  for (let round = 0; round < 8; round++) {
    await postTo(tenant, create, { channelId: "web" });
    await postTo(tenant, messages, { text: "Hello" });
  }
  await pool().query(
    `INSERT INTO idempotency_records (tenant_id, environment, key, fingerprint, status, body, created_at, expires_at)
     SELECT $1, 'test', 'key-' || n, '\\x00', 201, '{}', now(), now() + interval '1 day' FROM generate_series(1, $2::int) n`,
    [tenant.tenantId, records],
  );

  const plans = await plansOf(async () => {
    const replies = [
      ...(await postTo(tenant, create, { channelId: "web" }, "create")),
      ...(await postTo(tenant, messages, { text: "Hello" }, "post")),
    ];
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201]));
  });
  const shared = plans.filter(({ query }) => query.includes("WITH ORDINALITY"));
  expect(shared.length).toBeGreaterThan(0);
  for (const { query, rowsRead } of shared) expect(rowsRead, query).toBeLessThan(records / 2);
});
