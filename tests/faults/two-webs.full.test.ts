import { Pool } from "undici";
import { afterAll, beforeAll, expect, test } from "vitest";
import { db } from "@/lib/platform/db";
import { newTenant } from "../support/api";
import { type RunningProcess, startWeb } from "../support/processes";

const keys = 100;
const simultaneous = 100;

type Web = RunningProcess & { url: string };
let webs: Web[] = [];
let pools: Pool[] = [];
beforeAll(async () => {
  webs = await Promise.all([startWeb(), startWeb()]);
  pools = webs.map(({ url }) => new Pool(url, { connections: simultaneous / webs.length }));
});
afterAll(async () => {
  await Promise.all(pools.map((pool) => pool.destroy()));
  await Promise.all(webs.map((web) => web.end("SIGKILL")));
});

type Tenant = Awaited<ReturnType<typeof newTenant>>;
type Sent = { method: "POST" | "PATCH" | "DELETE"; path: string; body: object | null; key: string };

async function send(pool: Pool | undefined, tenant: Tenant, { method, path, body, key }: Sent) {
  const headers = {
    authorization: `Bearer ${tenant.key}`,
    "content-type": "application/json",
    "idempotency-key": key,
  };
  const response = await pool?.request({
    method,
    path: `/v1/public${path}`,
    headers,
    body: body && JSON.stringify(body),
  });
  return {
    status: response?.statusCode,
    text: await response?.body.text(),
    isReplay: response?.headers["idempotent-replayed"] === "true",
  };
}

/**
 * The same request a hundred times at once, half of them to each process. @returns the one response
 * that all got
 */
async function sendAtOnce(tenant: Tenant, sent: Sent) {
  const responses = await Promise.all(
    Array.from({ length: simultaneous }, (_, index) =>
      send(pools[index % pools.length], tenant, sent),
    ),
  );
  expect(new Set(responses.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  expect(responses.filter(({ isReplay }) => !isReplay)).toHaveLength(1);
  return {
    status: responses[0]?.status,
    body: JSON.parse(responses[0]?.text ?? "") as { id: string },
  };
}

const unlimited = { rateLimitPerMinute: 1_000_000 };
const eventsOf = ({ tenantId }: Tenant, type: string) =>
  db().event.count({ where: { tenantId, type } });

test(`${keys} keys, each ${simultaneous} times concurrently over two processes: POST`, async () => {
  const tenant = await newTenant(unlimited);
  const ids = new Set<string>();
  for (let index = 0; index < keys; index++) {
    const sent = {
      method: "POST" as const,
      path: "/conversations",
      body: { channelId: "web", message: "Hi" },
      key: `post-${index}`,
    };
    const { status, body } = await sendAtOnce(tenant, sent);
    expect(status).toBe(201);
    ids.add(body.id);
  }
  const where = { tenantId: tenant.tenantId };
  const rows = await db().conversation.findMany({
    where,
    select: { id: true, messageCount: true },
  });
  expect(rows.map(({ id }) => id).toSorted()).toEqual([...ids].toSorted());
  expect(rows.every(({ messageCount }) => messageCount === 1)).toBe(true);
  expect(await db().message.count({ where })).toBe(keys);
  expect([
    await eventsOf(tenant, "conversation.created"),
    await eventsOf(tenant, "message.received"),
  ]).toEqual([keys, keys]);
});

test(`${keys} keys, each ${simultaneous} times concurrently over two processes: PATCH`, async () => {
  const tenant = await newTenant(unlimited);
  const made = await send(pools[0], tenant, {
    method: "POST",
    path: "/customers",
    body: { name: "Before" },
    key: "customer",
  });
  const { id } = JSON.parse(made.text ?? "");
  for (let index = 0; index < keys; index++) {
    // Back and forth: an effect that happened twice, or late, would show as an extra event.
    const sent = {
      method: "PATCH" as const,
      path: `/customers/${id}`,
      body: { name: index % 2 ? "To" : "Fro" },
      key: `patch-${index}`,
    };
    expect((await sendAtOnce(tenant, sent)).status).toBe(200);
  }
  expect(await eventsOf(tenant, "customer.updated")).toBe(keys);
});

test(`${keys} keys, each ${simultaneous} times concurrently over two processes: DELETE`, async () => {
  const tenant = await newTenant(unlimited);
  const base = await send(pools[0], tenant, {
    method: "POST",
    path: "/knowledge-bases",
    body: { name: "Base" },
    key: "base",
  });
  const path = `/knowledge-bases/${JSON.parse(base.text ?? "").id}/documents`;
  const ids: string[] = [];
  for (let index = 0; index < keys; index++) {
    const document = { name: `${index}`, text: `The ${index}th document.` };
    const made = await send(pools[index % 2], tenant, {
      method: "POST",
      path,
      body: document,
      key: `document-${index}`,
    });
    ids.push(JSON.parse(made.text ?? "").id);
  }
  for (const id of ids) {
    const { status, body } = await sendAtOnce(tenant, {
      method: "DELETE",
      path: `${path}/${id}`,
      body: null,
      key: `delete-${id}`,
    });
    expect([status, body]).toEqual([200, { id, deleted: true }]);
  }
  expect(await db().document.count({ where: { tenantId: tenant.tenantId } })).toBe(0);
  expect(await eventsOf(tenant, "document.deleted")).toBe(keys);
});
