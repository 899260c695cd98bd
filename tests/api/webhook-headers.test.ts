import { afterEach, beforeEach, expect, test } from "vitest";
import { attemptDelivery } from "@/lib/deliveries/engine/attempt-delivery";
import { workOffBacklog } from "@/lib/deliveries/engine/work-off-backlog";
import { db, pool } from "@/lib/platform/db";
import { maskSecrets } from "@/lib/request-logs/mask-secrets";
import { call, newTenant, type TestTenant } from "../support/api";
import { auditOf } from "../support/people";
import { type Receiver, startReceiver } from "../support/receiver";

let receiver: Receiver;
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(() => receiver.close());

const value = 'Bearer ab}c,"]d\\-6f1d0c9e2b7a4853';
const create = (tenant: TestTenant, headers: unknown) =>
  call(tenant, "POST", "/webhooks", { url: receiver.url, events: ["*"], headers });

async function newWebhook(tenant: TestTenant, headers: object) {
  const { status, body } = await create(tenant, headers);
  expect(status).toBe(201);
  return body;
}

const patch = (tenant: TestTenant, id: string, headers: unknown) =>
  call(tenant, "PATCH", `/webhooks/${id}`, { headers });

async function attemptAll(tenant: TestTenant, webhookId: string): Promise<void> {
  const { partition } = tenant.identity;
  await db().delivery.updateMany({
    where: { webhookId, status: "PENDING" },
    data: { nextAttemptAt: new Date(0) },
  });
  for (const { id } of await db().delivery.findMany({ where: { webhookId } }))
    await attemptDelivery({ ...partition, id });
}

test("200 from the receiver: custom headers are sent with every attempt, tests and replays among them, and only there", async () => {
  const tenant = await newTenant();
  await call(tenant, "POST", "/customers", { name: "Before the webhook" });
  const columns = "one\ttwo \t three";
  const { id } = await newWebhook(tenant, {
    Authorization: value,
    "X-Team": "support",
    "X-Columns": columns,
  });
  await call(tenant, "POST", "/conversations", { channelId: "web" });
  await call(tenant, "POST", `/webhooks/${id}/test`);
  await attemptAll(tenant, id);
  await call(tenant, "POST", `/webhooks/${id}/replay`, { since: "2020-01-01T00:00:00Z" });
  await workOffBacklog(100);
  await attemptAll(tenant, id);

  expect(receiver.requests.length).toBe(4);
  for (const { headers } of receiver.requests)
    expect(headers).toMatchObject({
      authorization: value,
      "x-team": "support",
      "x-columns": columns,
      "content-type": "application/json",
      "webhook-signature": expect.stringMatching(/^v1,/),
    });
  const other = await newTenant();
  const { id: plain } = await newWebhook(other, {});
  await call(other, "POST", "/customers", { name: "Ada" });
  await attemptAll(other, plain);
  expect(receiver.requests.at(-1)?.headers).not.toHaveProperty("x-team");
});

test("201 with the names of the headers: their values are nowhere in a response or in the database", async () => {
  const tenant = await newTenant();
  const created = await newWebhook(tenant, { Authorization: value });
  expect(created.headerNames).toEqual(["Authorization"]);
  const { body } = await patch(tenant, created.id, { "X-Key": value });
  expect(body.headerNames).toEqual(["Authorization", "X-Key"]);
  await patch(tenant, created.id, { "X-Key": value.toUpperCase(), "X Bad": value });
  await call(tenant, "POST", `/webhooks/${created.id}/test`);
  await attemptAll(tenant, created.id);
  const listed = await call(tenant, "GET", "/webhooks");
  const feed = await call(tenant, "GET", "/events");

  const { rows: tables } = await pool().query<{ name: string }>(
    "SELECT quote_ident(table_name) AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'",
  );
  const dumps: { row: string }[] = [];
  for (const { name } of tables)
    dumps.push(...(await pool().query(`SELECT ${name}::text AS row FROM ${name}`)).rows);
  const everything = JSON.stringify([created, body, listed.body, feed.body, dumps]);
  expect(everything).toContain("Authorization");
  expect(everything.toLowerCase()).not.toContain("6f1d0c9e2b7a4853");
});

test.each([
  `{"url":"u","headers":{"A":"hidden-1}","B":"\\"hidden-2"},"events":[]}`,
  `{"headers" : {"A":"hidden-1`,
  `{"HEADERS":[{"name":"A","value":"]hidden-1"}]}`,
  `{"head\\u0065rs":{"A":"hidden-1"}}`,
])("the request log stores %s without the values", (text) => {
  expect(maskSecrets(text)).not.toContain("hidden-");
  expect(maskSecrets(text)).toContain("[masked]");
});

test("200 for a patch: names are merged without case, null removes one, and all at once", async () => {
  const tenant = await newTenant();
  const { id } = await newWebhook(tenant, { "X-One": "1", "X-Two": "2" });
  expect((await patch(tenant, id, { "x-one": "new", "X-Three": "3" })).body.headerNames).toEqual([
    "x-one",
    "X-Two",
    "X-Three",
  ]);
  const before = await call(tenant, "GET", `/webhooks/${id}`);
  expect((await patch(tenant, id, { "x-one": "new", "X-None": null })).body).toEqual(before.body);
  expect((await patch(tenant, id, { "X-TWO": null })).body.headerNames).toEqual([
    "x-one",
    "X-Three",
  ]);
  expect((await patch(tenant, id, { "X-Three": "changed" })).status).toBe(200);
  await call(tenant, "POST", "/customers", { name: "Ada" });
  await attemptAll(tenant, id);
  expect(receiver.requests.at(-1)?.headers).toMatchObject({ "x-one": "new", "x-three": "changed" });
  expect((await patch(tenant, id, null)).body.headerNames).toEqual([]);

  const entries = (await auditOf(tenant.tenantId)).filter(({ action }) =>
    action.startsWith("webhook."),
  );
  expect(entries.map(({ changes }) => (changes as { after: object }).after)).toEqual([
    expect.objectContaining({ headerNames: ["X-One", "X-Two"] }),
    { headerNames: ["x-one", "X-Two", "X-Three"], changedHeaders: ["x-one", "X-Three"] },
    { headerNames: ["x-one", "X-Three"], changedHeaders: ["X-TWO"] },
    { changedHeaders: ["X-Three"] },
    { headerNames: [], changedHeaders: ["x-one", "X-Three"] },
  ]);
});

test("200 for other changes while the key of the headers is lost, and null removes them", async () => {
  const tenant = await newTenant();
  const { id } = await newWebhook(tenant, { "X-One": "1" });
  await db().webhook.updateMany({ where: { id }, data: { sealedHeaders: "lost" } });
  const described = await call(tenant, "PATCH", `/webhooks/${id}`, {
    description: "Orders",
    headers: {},
  });
  expect([described.status, described.body.headerNames]).toEqual([200, ["X-One"]]);
  expect((await patch(tenant, id, null)).body.headerNames).toEqual([]);
});

const reserved = [
  ..."Host CONTENT-LENGTH Content-Type Content-Encoding Transfer-Encoding Connection keep-alive".split(
    " ",
  ),
  ..."Proxy-Authorization TE Trailer Upgrade Expect Accept-Encoding User-Agent Date".split(" "),
  ..."webhook-id Webhook-Signature webhook-other X-Service-Signature x-service-event-id".split(" "),
  ..."Traceparent tracestate Metadata-Flavor Metadata X-aws-ec2-metadata-token".split(" "),
];

test.each<[string, unknown]>([
  ...reserved.map((name): [string, unknown] => [name, "v"]),
  ["X-Line", "a\r\nX-Injected: b"],
  ["X-Line", "a\nb"],
  ["X-Line\r\nX-Injected", "a"],
  ["X-Name: a", "b"],
  [":path", "a"],
  ["", "a"],
  ["X-Grüße", "a"],
  ["X-Text", "Grüße"],
  ["X-Text", "\u{1F600}"],
  ["X-Text", "\u0007"],
  ["X-Text", " a"],
  ["X-Text", "a "],
  ["X-Text", "\ta"],
  ["X-Text", "a\t"],
  ["X-Text", ""],
  ["X-Text", null],
  ["X-Text", 1],
  ["X-Text", ["a"]],
  ["X-Text", "x".repeat(2_049)],
])("422 for the header %j: %j", async (name, sent) => {
  const tenant = await newTenant();
  const { status, body } = await create(tenant, { [name]: sent });
  const pointer = `/headers/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
  expect([status, body.errors[0].pointer]).toEqual([422, pointer]);
  if (reserved.includes(name)) expect(body.errors[0].message).toContain("because");
});

test("422 for too many headers, for too many after a patch, for names that differ only in case, and for too much text", async () => {
  const tenant = await newTenant();
  const many = (count: number, prefix: string) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}-${index}`, "v"]));
  expect((await create(tenant, many(11, "X"))).body.errors[0].pointer).toBe("/headers");
  const longName = (await create(tenant, { ["x".repeat(101)]: "a" })).body.errors[0];
  expect(longName.pointer).toContain("/headers/xxx");
  expect((await create(tenant, { "X-A": "1", "x-a": "2" })).body.errors[0].pointer).toBe(
    "/headers/x-a",
  );
  const long = { A: "x".repeat(2_000), B: "x".repeat(2_000), C: "x".repeat(200) };
  expect((await create(tenant, long)).body.errors[0].pointer).toBe("/headers");
  const { id } = await newWebhook(tenant, many(10, "X"));
  const refused = await patch(tenant, id, { Y: "1" });
  expect([refused.status, refused.body.errors[0].pointer]).toEqual([422, "/headers"]);
  expect((await patch(tenant, id, { Y: "1", "x-0": null })).status).toBe(200);
});
