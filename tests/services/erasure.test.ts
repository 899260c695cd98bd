// cspell:ignore zephyrine zqxes quarrington kumquat zeph persimmon quincunx quodlibet nümber ödipus
// cspell:ignore özilius ünal наталья петрова İbrahim yılmaz conor brien
import { expect, test, vi } from "vitest";
import { verifyChainOf } from "@/lib/audit/verify-chain";
import { indexForSearch } from "@/lib/conversations/search-index";
import { workOffDeletions } from "@/lib/deletions/work-off-deletions";
import { patternsOf, rowsABatch } from "@/lib/erasures/identifiers";
import { workOffErasures } from "@/lib/erasures/work-off-erasures";
import { removeStrayBlobs } from "@/lib/platform/blobs/service";
import { db, pool } from "@/lib/platform/db";
import { setCurrentTime } from "@/lib/platform/time";
import { flushRequestLogs } from "@/lib/request-logs/request-log-buffer";
import { call, newTenant, type TestTenant } from "../support/api";
import { uploadFile } from "../support/documents";
import { eventsInOrder } from "../support/feed";
import { hasWaiting, watch } from "../support/locks";
import { placesWith } from "../support/places-with";
import { searchFindsAll } from "../support/search";

/** What identifies the person, and what only they wrote. No other test has these texts. */
const person = {
  externalId: "crm-zephyrine-7731",
  name: "Zephyrine Quarrington",
  email: "zephyrine.quarrington@example.org",
  phone: "+4915207731337",
  locale: "de-AT",
  metadata: { nickname: "Zeph-Quarry" },
};
const traces = ["zephyrine", "quarrington", "zeph-quarry", "15207731337", "crm-zeph", "kumquat"];

/** Everything that jobs do until nothing is left, at a time when everything is due. */
async function workOff(limit = 200): Promise<number> {
  let batches = 0;
  // Logs are searched some time after the conversations. By then, web has written them.
  await flushRequestLogs();
  let aheadMs = 60_000;
  setCurrentTime(() => new Date(Date.now() + aheadMs));
  try {
    for (;;) {
      const done =
        (await indexForSearch(200)) + (await workOffDeletions(500)) + (await removeStrayBlobs(100));
      const erased = await workOffErasures(limit);
      batches += erased > 0 ? 1 : 0;
      const rest = await db().erasure.count({ where: { completedAt: null } });
      if (done === 0 && erased === 0 && rest === 0) return batches;
      if (erased === 0) aheadMs += 5_000;
    }
  } finally {
    setCurrentTime(null);
  }
}

/**
 * All requests of `work` take place at one moment. On a slow machine, some would otherwise be logged
 * so late that the log leaves out their text.
 */
async function atOneMoment<Result>(work: () => Promise<Result>): Promise<Result> {
  const at = new Date();
  setCurrentTime(() => at);
  return work().finally(() => setCurrentTime(null));
}

const subjects = ["Order of Zephyrine", "Kumquat", "Deleted kumquat"];

async function fill(tenant: TestTenant) {
  await call(tenant, "POST", "/webhooks", { url: "http://127.0.0.1:9/hook", events: ["*"] });
  const { body: customer } = await call(tenant, "POST", "/customers", person, {
    "idempotency-key": `create-${person.email}`,
  });
  const ids: string[] = [];
  for (const [index, subject] of subjects.entries()) {
    const { body } = await call(
      tenant,
      "POST",
      "/conversations",
      {
        channelId: "web",
        subject,
        customerId: customer.id,
        message: { text: "I want a kumquat", metadata: { raw: "kumquat" }, externalId: "kumquat" },
        tags: ["kumquat"],
        metadata: { fruit: "kumquat" },
        externalId: `kumquat-${subject}`,
      },
      { "idempotency-key": `post-${index}` },
    );
    ids.push(body.id);
    const path = `/conversations/${body.id}`;
    await call(tenant, "POST", `${path}/messages`, {
      text: "Dear Zephyrine, here is your kumquat",
      author: { type: "AGENT", id: "agt_1", name: "Concierge" },
    });
    await call(tenant, "POST", `${path}/messages`, {
      text: "A note: kumquat",
      direction: "INTERNAL",
    });
    await call(tenant, "PATCH", path, { subject: `${subject}, again`, status: "RESOLVED" });
    await call(tenant, "POST", `${path}/messages`, { text: "Another kumquat" });
  }
  await call(tenant, "DELETE", `/conversations/${ids[2]}`);
  await call(tenant, "PATCH", `/customers/${customer.id}`, { name: "Zephyrine Q. Quarrington" });
  // Refused requests, reads with values in their paths, and other spellings.
  await call(tenant, "POST", "/customers", { ...person, phone: "030" });
  await call(tenant, "POST", "/customers", JSON.stringify(person));
  await call(tenant, "GET", `/customers?email=${encodeURIComponent(person.email)}`);
  await call(tenant, "GET", "/customers?q=zephyrine+quarrington");
  await call(tenant, "GET", "/conversations/search?q=Quarrington%20order");
  await call(tenant, "PUT", `/customers/by-external-id/${person.externalId}`, { locale: "de" });
  // Values where only ids belong.
  await call(tenant, "GET", `/customers/${encodeURIComponent(person.email)}`);
  await call(tenant, "GET", `/customers/zephyrine?by=name`);
  await call(tenant, "POST", `/conversations/${person.externalId}/messages`, { text: "Hello" });
  const view = { ...tenant.identity.partition, isShared: true, createdAt: new Date() };
  await db().savedView.createMany({
    data: [
      { ...view, userId: "usr_1", name: "By name", query: "q=zephyrine+order" },
      {
        ...view,
        userId: "usr_1",
        name: "By address",
        query: `q=${encodeURIComponent(person.email)}`,
      },
      { ...view, userId: "usr_1", name: "Zephyrine", query: "status=OPEN" },
      { ...view, userId: "usr_1", name: "Urgent", query: "sort=priority" },
    ],
  });
  const delivery = await db().delivery.findFirstOrThrow({
    where: { ...tenant.identity.partition, eventType: "customer.created" },
  });
  await db().deliveryAttempt.create({
    data: {
      ...tenant.identity.partition,
      deliveryId: delivery.id,
      number: 1,
      startedAt: new Date(),
      durationMs: 1,
      response: "Thanks, Zephyrine",
    },
  });
  await db().delivery.updateMany({
    where: { ...tenant.identity.partition, id: delivery.id },
    data: { firstResponse: "Thanks, Zephyrine", leaseHolder: "worker" },
  });
  await searchFindsAll();
  await flushRequestLogs();
  return { customer, ids };
}

test("202 erases a customer: none of their data is in any column of the database or in any file, ids and counts remain, and a signed entry certifies it", async () => {
  const tenant = await newTenant();
  const { customer, ids } = await atOneMoment(() => fill(tenant));
  const { body: other } = await call(tenant, "POST", "/conversations", {
    channelId: "web",
    message: "Someone else's message",
    customer: { name: "Bob" },
  });
  const path = `/customers/${customer.id}`;
  const before = (await call(tenant, "GET", path)).body;
  const otherEvents = (await eventsInOrder(tenant)).slice(-3);
  expect((await placesWith(traces)).length).toBeGreaterThan(20);

  const requested = await call(tenant, "POST", `${path}/erase`);
  expect(requested).toMatchObject({
    status: 202,
    body: { id: expect.stringMatching(/^ers_/), customerId: customer.id, status: "PENDING" },
  });
  // A second request is the same erasure, and nothing can be put back.
  expect((await call(tenant, "POST", `${path}/erase`)).body.id).toBe(requested.body.id);
  expect(await call(tenant, "PATCH", path, { name: "Back" })).toMatchObject({
    status: 410,
    body: { type: expect.stringMatching(/\/errors\/gone$/) },
  });
  // A crash at any batch: the next one continues.
  expect(await workOff(20)).toBeGreaterThan(5);

  expect(await placesWith(traces)).toEqual([]);
  const { body: erasure } = await call(tenant, "GET", `/erasures/${requested.body.id}`);
  expect(erasure).toMatchObject({
    status: "COMPLETED",
    removed: { conversations: 2, messages: 8 },
    receipt: { signature: expect.stringMatching(/^[0-9a-f]{64}$/) },
  });
  const { body: after } = await call(tenant, "GET", path);
  expect(after).toMatchObject({
    id: customer.id,
    name: null,
    conversationCount: before.conversationCount,
    createdAt: before.createdAt,
  });
  const { body: messages } = await call(tenant, "GET", `/conversations/${ids[0]}/messages`);
  expect(messages.data.map(({ sequence, text }: never) => [sequence, text])).toEqual([
    [1, ""],
    [2, ""],
    [3, ""],
    [4, ""],
  ]);
  expect(messages.data[1].author).toEqual({ type: "AGENT", id: "agt_1", name: "Concierge" });
  const events = await eventsInOrder(tenant);
  expect(events.at(-1)).toMatchObject({
    type: "customer.erased",
    data: { object: { id: customer.id, environment: "test", erasureId: erasure.id } },
  });
  const views = await db().savedView.findMany({ where: { tenantId: tenant.tenantId } });
  expect(views.map(({ name }) => name)).toEqual(["Urgent"]);
  const logs = await db().requestLog.findMany({ where: tenant.identity.partition });
  const paths = logs.map((log) => log.path.replace("/v1/public", ""));
  expect(paths).toEqual(
    expect.arrayContaining([
      path,
      `/conversations/${ids[0]}/messages`,
      "/customers?[erased]",
      "/conversations/search?[erased]",
      "/customers/by-external-id/[erased]",
      "/customers/[erased]",
      "/customers/[erased]?[erased]",
      "/conversations/[erased]/messages",
    ]),
  );
  // Others are untouched.
  expect(events.filter(({ id }) => otherEvents.some((each) => each.id === id))).toEqual(
    otherEvents,
  );
  expect((await call(tenant, "GET", `/conversations/${other.id}`)).body.lastMessagePreview).toBe(
    "Someone else's message",
  );
  const replayed = await call(
    tenant,
    "POST",
    "/conversations",
    {
      channelId: "web",
      subject: "Kumquat",
      customerId: customer.id,
      message: { text: "I want a kumquat", metadata: { raw: "kumquat" }, externalId: "kumquat" },
      tags: ["kumquat"],
      metadata: { fruit: "kumquat" },
      externalId: "kumquat-Kumquat",
    },
    { "idempotency-key": "post-1" },
  );
  expect(replayed.status).toBe(410);
  const entry = await db().auditEntry.findFirstOrThrow({
    where: { tenantId: tenant.tenantId, sequence: erasure.receipt.auditSequence },
  });
  expect(entry.action).toBe("customer.erased");
  expect(Buffer.from(entry.hash).toString("hex")).toBe(erasure.receipt.signature);
  expect((await verifyChainOf(db(), tenant.tenantId)).broken).toBeNull();
});

test("an erasure removes every stored response, however many deliveries an event has", async () => {
  const tenant = await newTenant();
  await call(tenant, "POST", "/webhooks", { url: "http://127.0.0.1:9/hook", events: ["*"] });
  const { body: customer } = await call(tenant, "POST", "/customers", { name: "Ada" });
  // As if many webhooks had been deleted, and their deliveries were not deleted yet.
  await pool().query(
    `WITH other AS (
       INSERT INTO deliveries (tenant_id, environment, id, webhook_id, event_id, event_type, status, first_response, created_at, updated_at)
       SELECT tenant_id, environment, substr(id, 1, 14) || lpad(i::text, 16, '0'), 'whk_' || i, event_id, event_type, 'DELIVERED', 'Thanks, Ada', now(), now()
       FROM deliveries, generate_series(1, 2100) AS i WHERE tenant_id = $1 RETURNING *
     )
     INSERT INTO delivery_attempts (tenant_id, environment, delivery_id, number, started_at, duration_ms, response)
     SELECT tenant_id, environment, id, 2, now(), 1, 'Thanks again, Ada' FROM other`,
    [tenant.tenantId],
  );
  const { body: erasure } = await call(tenant, "POST", `/customers/${customer.id}/erase`);
  await workOff();
  const where = tenant.identity.partition;
  expect(await db().delivery.count({ where: { ...where, firstResponse: { not: null } } })).toBe(0);
  expect(await db().deliveryAttempt.count({ where: { ...where, response: { not: null } } })).toBe(
    0,
  );
  const { body: completed } = await call(tenant, "GET", `/erasures/${erasure.id}`);
  expect(completed.removed.deliveries).toBe(2_101);
});

test("an erasure is not certified while a file could not be removed yet", async () => {
  const tenant = await newTenant();
  const { body: customer } = await call(tenant, "POST", "/customers", { name: "Ada" });
  const { body: erasure } = await call(tenant, "POST", `/customers/${customer.id}/erase`);
  // Its removal failed, and is tried again in some minutes.
  const key = `${tenant.tenantId}/test/some-file`;
  const removeAfter = new Date(Date.now() + 4 * 60_000);
  await db().strayBlob.create({ data: { ...tenant.identity.partition, key, removeAfter } });
  const status = async () => (await call(tenant, "GET", `/erasures/${erasure.id}`)).body.status;
  let aheadMs = 60_000;
  setCurrentTime(() => new Date(Date.now() + aheadMs));
  try {
    for (let batch = 0; batch < 20; batch++, aheadMs += 5_000) {
      await indexForSearch(200);
      await workOffErasures(200);
    }
    expect(await status()).toBe("PENDING");
    await db().strayBlob.deleteMany({ where: { key } });
    await workOffErasures(200);
    expect(await status()).toBe("COMPLETED");
  } finally {
    setCurrentTime(null);
  }
});

test("an erasure also removes what the redaction of a message left in events", async () => {
  const tenant = await newTenant();
  const { body: customer } = await call(tenant, "POST", "/customers", { name: "Zephyrine" });
  const { body } = await call(tenant, "POST", "/conversations", {
    channelId: "web",
    customerId: customer.id,
    subject: "Of Zephyrine",
    message: "Kumquat",
  });
  const path = `/conversations/${body.id}`;
  await call(tenant, "PATCH", path, { metadata: { of: "zephyrine" } });
  const { body: page } = await call(tenant, "GET", `${path}/messages`);
  expect(page.data[0].author.name).toBe("Zephyrine");
  await call(tenant, "DELETE", `${path}/messages/${page.data[0].id}`);
  await workOff();
  const where = tenant.identity.partition;
  const stored = async () => JSON.stringify(await db().event.findMany({ where })).toLowerCase();
  expect(await stored()).not.toContain("kumquat");
  expect(await stored()).toContain("zephyrine");

  for (const remaining of [expect.any(Number), 0]) {
    const { body: erasure } = await call(tenant, "POST", `/customers/${customer.id}/erase`);
    await workOff();
    expect(await stored()).not.toContain("zephyrine");
    const { body: done } = await call(tenant, "GET", `/erasures/${erasure.id}`);
    expect(done.removed.events).toEqual(remaining);
  }
});

test("an erasure clears the events of conversations that a clock five minutes ahead has changed", async () => {
  const tenant = await newTenant();
  const { body: customer } = await call(tenant, "POST", "/customers", { name: "Ada" });
  const created = { channelId: "web", customerId: customer.id, subject: "First persimmon" };
  const paths: string[] = [];
  for (let count = 0; count < 2; count++) {
    const { body } = await call(tenant, "POST", "/conversations", created);
    paths.push(`/conversations/${body.id}`);
  }
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 300_000 });
  try {
    for (const path of paths) await call(tenant, "PATCH", path, { subject: "Second persimmon" });
    await flushRequestLogs();
  } finally {
    vi.useRealTimers();
  }
  await call(tenant, "DELETE", paths[1] ?? "");
  await call(tenant, "POST", `/customers/${customer.id}/erase`);
  await workOff();
  expect(await placesWith(["persimmon"])).toEqual([]);
});

test("an erasure also empties the requests that uploaded the files of messages, and their stored responses", async () => {
  const tenant = await newTenant();
  const [customer, other] = [
    (await call(tenant, "POST", "/customers", { name: "Ada" })).body,
    (await call(tenant, "POST", "/customers", { name: "Bob" })).body,
  ];
  const hashes: string[] = [];
  const upload = (name: string) =>
    uploadFile(tenant, `The content of ${name}`, name, { "idempotency-key": `upload ${name}` });
  /** Posts a message with a file of that name, in a conversation of its own. */
  async function send(name: string, { customerId = customer.id, direction = "INBOUND" } = {}) {
    const { body: file } = await upload(`${name}.txt`);
    if (customerId === customer.id) hashes.push(file.sha256);
    const { body } = await call(tenant, "POST", "/conversations", { channelId: "web", customerId });
    const path = `/conversations/${body.id}`;
    const message = { text: "Here it is", attachments: [file.id], direction };
    const { body: posted } = await call(tenant, "POST", `${path}/messages`, message);
    return { path, messagePath: `${path}/messages/${posted.id}` };
  }
  await atOneMoment(async () => {
    await send("passport");
    await send("visa", { direction: "INTERNAL" });
    const deleted = await send("permit", { direction: "INTERNAL" });
    await call(tenant, "DELETE", deleted.path);
    while ((await workOffDeletions(500)) > 0);
    // What is left of these is worked off only after the erasure has searched the log.
    await call(tenant, "DELETE", (await send("license")).path);
    await call(tenant, "DELETE", (await send("diploma")).messagePath);
    await send("manual", { customerId: other.id });
    await flushRequestLogs();
  });
  const where = tenant.identity.partition;
  await expect.poll(() => db().requestLog.count({ where })).toBe(23);
  const { body: erasure } = await call(tenant, "POST", `/customers/${customer.id}/erase`);
  const phase = async () => (await db().erasure.findFirstOrThrow({ where })).phase;
  for (let aheadMs = 0; (await phase()) !== "REST"; aheadMs += 5_000) {
    setCurrentTime(() => new Date(Date.now() + aheadMs));
    await workOffErasures(5);
  }
  setCurrentTime(null);

  const stored = JSON.stringify([
    await db().requestLog.findMany({ where }),
    await db().idempotencyRecord.findMany({ where, select: { body: true } }),
  ]);
  const names = ["passport", "visa", "permit", "license", "diploma"];
  const texts = [...names.map((name) => `${name}.txt"`), ...hashes];
  expect(texts.filter((text) => stored.includes(text))).toEqual([]);
  expect(stored).toContain(`manual.txt"`);
  await workOff();
  expect(await placesWith(hashes)).toEqual([]);
  expect((await call(tenant, "GET", `/erasures/${erasure.id}`)).body).toMatchObject({
    status: "COMPLETED",
    removed: { messages: 3, files: 2 },
  });
  for (const name of names) expect((await upload(`${name}.txt`)).status).toBe(410);
  expect((await upload("manual.txt")).status).toBe(201);
});

test("a message that arrives after its conversation was erased is kept, and so is its event", async () => {
  const tenant = await newTenant();
  const { body: customer } = await call(tenant, "POST", "/customers", { name: "Ada" });
  const { body } = await call(tenant, "POST", "/conversations", {
    channelId: "web",
    message: "Before",
    customerId: customer.id,
  });
  await call(tenant, "POST", `/customers/${customer.id}/erase`);
  while (
    (await db().erasure.findFirst({ where: tenant.identity.partition }))?.phase === "CONVERSATIONS"
  )
    await workOffErasures(200);
  const path = `/conversations/${body.id}/messages`;
  const { body: later } = await call(tenant, "POST", path, { text: "After" });
  await workOff();
  expect((await call(tenant, "GET", path)).body.data.map(({ text }: never) => text)).toEqual([
    "",
    "After",
  ]);
  const events = await eventsInOrder(tenant);
  expect(
    events.filter(({ type }) => type === "message.received").map(({ data }) => data.object),
  ).toEqual([expect.objectContaining({ text: "" }), later]);
});

test.each(["IDEMPOTENCY_RECORDS", "REQUEST_LOGS", "REST"])(
  "an erasure that is requested again in the phase %s leaves nothing of the request's key",
  async (phase) => {
    const tenant = await newTenant();
    const { body: customer } = await call(tenant, "POST", "/customers", { name: "Quodlibet" });
    const erase = () =>
      call(tenant, "POST", `/customers/${customer.id}/erase`, undefined, {
        // It comes first among the records.
        "idempotency-key": "erase quodlibet",
      });
    const { body: first } = await erase();
    const where = tenant.identity.partition;
    await call(tenant, "POST", "/customers", { name: "Bob" }, { "idempotency-key": "of another" });
    const phaseNow = async () => (await db().erasure.findFirstOrThrow({ where })).phase;
    let aheadMs = 0;
    setCurrentTime(() => new Date(Date.now() + aheadMs));
    for (; (await phaseNow()) !== phase; aheadMs += 5_000) await workOffErasures(200);
    if (phase === "IDEMPOTENCY_RECORDS") await workOffErasures(1);
    setCurrentTime(null);

    const { body: again, status } = await erase();
    expect(status).toBe(202);
    expect(again).toMatchObject({ id: first.id, status: "PENDING" });
    await workOff();
    const [records, logs] = await Promise.all([
      db().idempotencyRecord.findMany({ where }),
      db().requestLog.findMany({ where }),
    ]);
    expect(JSON.stringify(records).toLowerCase()).not.toContain("quodlibet");
    expect(records.some(({ key }) => key.includes("of another"))).toBe(true);
    expect(JSON.stringify(logs).toLowerCase()).not.toContain("quodlibet");
    expect(await db().erasure.count({ where: { ...where, completedAt: null } })).toBe(0);
  },
);

test("a request that is repeated while a customer is erased leaves no text in the log", async () => {
  const tenant = await newTenant();
  const { body: customer } = await call(tenant, "POST", "/customers", { name: "Ada" });
  const post = () =>
    call(
      tenant,
      "POST",
      "/conversations",
      { channelId: "web", customerId: customer.id, message: "A repeated quodlibet" },
      { "idempotency-key": "repeated" },
    );
  const first = await post();
  await call(tenant, "POST", `/customers/${customer.id}/erase`);
  const where = tenant.identity.partition;
  const phase = async () => (await db().erasure.findFirstOrThrow({ where })).phase;
  while ((await phase()) !== "IDEMPOTENCY_RECORDS") await workOffErasures(200);
  // Deleting the stored responses before this one took long.
  const clearedAt = new Date(Date.now() - 60_000);
  await db().erasure.updateMany({ where, data: { clearedAt } });
  expect((await post()).body).toEqual(first.body);
  await flushRequestLogs();
  await expect.poll(() => db().requestLog.count({ where })).toBe(4);
  await workOff();
  expect((await post()).status).toBe(410);
  await flushRequestLogs();
  await expect.poll(() => db().requestLog.count({ where })).toBe(5);
  expect(await placesWith(["repeated quodlibet"])).toEqual([]);
});

test("a conversation that is created while its customer is erased has nothing of them", async () => {
  const tenant = await newTenant();
  const { body: customer } = await call(tenant, "POST", "/customers", { name: "Quodlibet" });
  const client = await pool().connect();
  await client.query("BEGIN");
  await client.query("LOCK TABLE conversations IN SHARE MODE");
  const creating = call(tenant, "POST", "/conversations", {
    ...{ channelId: "web", customerId: customer.id, message: "Hello" },
  });
  // It has read the customer's name.
  while (!(await hasWaiting(client, "%WITH input%conversation_id%")));
  const erasing = call(tenant, "POST", `/customers/${customer.id}/erase`);
  const erasure = watch(erasing);
  while (!(await hasWaiting(client, "%customers%FOR UPDATE%")) && !erasure.hasSettled);
  if (erasure.hasSettled) await workOffErasures(200);
  await client.query("COMMIT");
  client.release();
  expect((await creating).status).toBe(201);
  expect((await erasing).status).toBe(202);
  await workOff();
  expect(await placesWith(["quodlibet"])).toEqual([]);
});

test("202 erases a customer again: what was written after the first erasure is gone, too", async () => {
  const tenant = await newTenant();
  const { body: customer } = await call(tenant, "POST", "/customers", { name: "Ada" });
  const path = `/customers/${customer.id}/erase`;
  const { body: first } = await call(tenant, "POST", path);
  expect((await call(tenant, "POST", path)).body.id).toBe(first.id);
  await workOff();

  const later = { channelId: "web", customerId: customer.id, message: "A later quincunx" };
  const { body: conversation } = await call(tenant, "POST", "/conversations", later);
  await searchFindsAll();
  await flushRequestLogs();
  const { body: second } = await call(tenant, "POST", path);
  expect(second).toMatchObject({ status: "PENDING", removed: { messages: 0 } });
  expect(second.id).not.toBe(first.id);
  await workOff();

  expect(await placesWith(["quincunx"])).toEqual([]);
  expect((await call(tenant, "GET", `/erasures/${second.id}`)).body).toMatchObject({
    status: "COMPLETED",
    removed: { conversations: 1, messages: 1 },
  });
  expect((await call(tenant, "GET", `/erasures/${first.id}`)).body.status).toBe("COMPLETED");
  expect((await call(tenant, "GET", `/conversations/${conversation.id}`)).status).toBe(200);
});

test("202 erases a customer again: what receivers have responded since the first erasure is gone, too", async () => {
  const tenant = await newTenant();
  await call(tenant, "POST", "/webhooks", { url: "http://127.0.0.1:9/hook", events: ["*"] });
  const { body: customer } = await call(tenant, "POST", "/customers", { name: "Ada" });
  const created = { channelId: "web", customerId: customer.id, message: "Hello" };
  const { body: deleted } = await call(tenant, "POST", "/conversations", created);
  await call(tenant, "POST", "/conversations", created);
  await call(tenant, "DELETE", `/conversations/${deleted.id}`);
  const { body: other } = await call(tenant, "POST", "/customers", { name: "Bob" });
  const path = `/customers/${customer.id}/erase`;
  await call(tenant, "POST", path);
  await workOff();

  const where = tenant.identity.partition;
  await db().delivery.updateMany({ where, data: { firstResponse: "Thanks, Ada" } });
  const { body: erasure } = await call(tenant, "POST", path);
  await workOff();
  const remaining = await db().delivery.findMany({
    where: { ...where, firstResponse: { not: null } },
  });
  const about = remaining.map(async ({ eventId }) =>
    JSON.parse((await db().event.findFirstOrThrow({ where: { ...where, id: eventId } })).payload),
  );
  expect((await Promise.all(about)).map(({ type, data }) => [type, data.object.id])).toEqual([
    ["customer.created", other.id],
  ]);
  expect((await call(tenant, "GET", `/erasures/${erasure.id}`)).body).toMatchObject({
    status: "COMPLETED",
    removed: { events: 0 },
  });
});

test("an erasure deletes an idempotency key with a value of the customer, but not with a longer word", async () => {
  const tenant = await newTenant();
  const { body: customer } = await call(tenant, "POST", "/customers", {
    ...{
      externalId: "12345",
      name: "Ödipus (Ada) Lovelace",
      email: "ada@example.com",
      phone: "+4917012345678",
    },
  });
  const others = ["order-112345-paid", "123456", "lovelace1", "x_ada@example.community"];
  const own = [
    "order-12345-paid",
    "Lovelace!",
    "a/ADA@example.com",
    "ada%40example.com",
    "tel+4917012345678",
  ];
  const create = (key: string) =>
    call(tenant, "POST", "/conversations", { channelId: "web" }, { "idempotency-key": key });
  const first = new Map<string, string>();
  for (const key of [...others, ...own]) first.set(key, (await create(key)).text);
  await call(tenant, "POST", `/customers/${customer.id}/erase`);
  await workOff();
  const where = tenant.identity.partition;
  const records = await db().idempotencyRecord.findMany({ where, select: { key: true } });
  expect(records.map(({ key }) => key).sort()).toEqual([...others].sort());
  for (const key of others) expect((await create(key)).text).toBe(first.get(key));
});

test("a short name is found wherever it stands alone in a path", async () => {
  const tenant = await newTenant();
  const { body: customer } = await call(tenant, "POST", "/customers", { name: "Zqx" });
  const paths = ["/customers/zqx", "/customers/zqx/erase", "/customers/zqx?q=1", "/zqxes/zqx"];
  await atOneMoment(async () => {
    for (const each of paths) await call(tenant, "POST", each, {});
    await flushRequestLogs();
  });
  const where = tenant.identity.partition;
  await expect.poll(() => db().requestLog.count({ where })).toBe(5);
  await call(tenant, "POST", `/customers/${customer.id}/erase`);
  await workOff();
  const logs = await db().requestLog.findMany({
    where: { ...where, status: { in: [404, 405] } },
    orderBy: { id: "asc" },
  });
  expect(logs.map((log) => log.path.replace("/v1/public", ""))).toEqual([
    "/customers/[erased]",
    "/customers/[erased]/erase",
    "/customers/[erased]?[erased]",
    "/zqxes/[erased]",
  ]);
});

test.each([
  ["Özilius Ünal", "Özilius"],
  ["özilius ünal".normalize("NFD"), "Özilius"],
  ["Наталья Петрова", "Наталья"],
  ["İbrahim Yılmaz", "İbrahim"],
  ["Conor O'Brien", "O'Brien"],
])("an erasure finds %s in other cases and encodings", async (name, part) => {
  const tenant = await newTenant();
  const externalId = `crm ${part}`;
  const byExternalId = `/customers/by-external-id/${encodeURIComponent(externalId)}`;
  const texts = [part, part.toUpperCase(), part.toLowerCase()].flatMap((text) => [
    text,
    text.normalize("NFD"),
  ]);
  // Some clients write JSON in ASCII.
  const inAscii = (text: string) =>
    JSON.stringify(text).replaceAll(
      /[^\x20-\x7e]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
  const where = tenant.identity.partition;
  const id = await atOneMoment(async () => {
    await call(tenant, "POST", "/customers", { name, externalId });
    const { body } = await call(tenant, "PUT", byExternalId, { locale: "de" });
    for (const text of texts) {
      await call(tenant, "GET", `/customers?q=${encodeURIComponent(text)}`);
      await call(tenant, "GET", `/customers?${new URLSearchParams({ q: text })}`);
      await call(tenant, "POST", "/conversations", { subject: `Call ${text}` });
      await call(tenant, "POST", "/conversations", `{"subject":${inAscii(`Call ${text}`)}}`);
    }
    await flushRequestLogs();
    return body.id;
  });
  const view = { ...where, isShared: true, createdAt: new Date() };
  await db().savedView.createMany({
    data: [
      { ...view, userId: "usr_1", name: `Cases of ${part}`, query: "status=OPEN" },
      { ...view, userId: "usr_1", name: "Mine", query: `${new URLSearchParams({ q: part })}` },
    ],
  });
  await expect.poll(() => db().requestLog.count({ where })).toBe(2 + 4 * texts.length);
  await call(tenant, "POST", `/customers/${id}/erase`);
  await workOff();
  const logs = await db().requestLog.findMany({ where: { ...where, status: { not: 202 } } });
  const left = logs.map(({ path, requestBody }) => [path.replace("/v1/public", ""), requestBody]);
  expect([...new Set(left.map((each) => each.join(" ").trim()))].sort()).toEqual([
    "/conversations",
    "/customers",
    "/customers/by-external-id/[erased]",
    "/customers?[erased]",
  ]);
  expect(await db().savedView.count({ where })).toBe(0);
});

test("a customer with many earlier names is compared in smaller batches, and erased completely", async () => {
  const names = Array.from({ length: 100 }, (_, number) => ({
    externalId: `quodlibet-${number}`,
    name: `Quodlibet Nümber${number} Ödipus%${number}`,
    email: `quodlibet+${number}@example.org`,
    phone: `+4930${1_000_000 + number}`,
  }));
  const patterns = patternsOf(names);
  expect(patterns.length).toBeGreaterThan(1_000);
  expect(rowsABatch(200, patterns) * patterns.length).toBeLessThanOrEqual(20_000);
  expect(rowsABatch(200, patternsOf(names.slice(0, 1)))).toBe(200);

  const tenant = await newTenant();
  const { body: customer } = await call(tenant, "POST", "/customers", names[0]);
  for (const name of names.slice(1, 12))
    await call(tenant, "PATCH", `/customers/${customer.id}`, name);
  await call(tenant, "POST", `/customers/${customer.id}/erase`);
  const where = { tenantId: tenant.tenantId };
  await db().erasure.updateMany({ where, data: { identifiers: names } });
  await workOff(50);
  expect(await placesWith(["quodlibet"])).toEqual([]);
});
