import fc from "fast-check";
import { expect, test } from "vitest";
import { workOffDeletions } from "@/lib/deletions/work-off-deletions";
import { closeDatabase, db, pool } from "@/lib/platform/db";
import { setCurrentTime } from "@/lib/platform/time";
import { flushRequestLogs } from "@/lib/request-logs/request-log-buffer";
import { firstIdAt, newId, restartIds } from "@/lib/resources/ids";
import { call, newTenant, type TestTenant } from "../support/api";
import { explainEverything, plansOf } from "../support/plans";

// An event of a conversation has a preview of the conversation's newest message. When the message is
// redacted, all of these events are found, and no others are read.

/** Works off all redactions, at a time when they are due. */
async function workOff({ aheadMs = 60_000, limit = 500 } = {}) {
  await flushRequestLogs();
  setCurrentTime(() => new Date(Date.now() + aheadMs));
  try {
    while ((await workOffDeletions(limit)) > 0);
  } finally {
    setCurrentTime(null);
  }
  expect(await db().deletion.count({ where: { finishedAt: null } })).toBe(0);
}

/** What a scan of all events since the message finds. */
async function eventsWithPreviewAmongAll({ tenantId, environment }: TestTenant, id: string) {
  const { rows } = await pool().query<{ id: string }>(
    `SELECT e.id FROM messages m JOIN events e ON e.tenant_id = m.tenant_id AND e.environment = m.environment
     WHERE m.tenant_id = $1 AND m.environment = $2::"Environment" AND m.id = $3 AND e.type LIKE 'conversation.%'
       AND strpos(e.payload, '"object":{"id":"' || m.conversation_id || '"') > 0
       AND strpos(e.payload, '"lastMessageAt":"' || to_char(m.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"') > 0
       AND e.id > 'evt_' || substr(m.id, 5, 10)`,
    [tenantId, environment, id],
  );
  return rows.map((event) => event.id);
}

type StoredEvent = { tenantId: string; environment: string; id: string; payload: string };

async function allEvents() {
  const columns = `tenant_id AS "tenantId", environment, id, payload`;
  return (await pool().query<StoredEvent>(`SELECT ${columns} FROM events`)).rows;
}

/** Copies all events to another environment. They are not about its conversations. */
const copyEvents = ({ tenantId }: TestTenant, other: TestTenant) =>
  pool().query(
    `INSERT INTO events (tenant_id, environment, id, type, payload, created_at)
     SELECT $2, environment, id, type, payload, created_at FROM events WHERE tenant_id = $1`,
    [tenantId, other.tenantId],
  );

let lastText = 0;
const newText = () => `A private text ${String(++lastText).padStart(5, "0")}`;

/** Values that look like a part of an event. */
const misleading = (id: string) => ({
  subject: `"object":{"id":"${id}"`,
  metadata: { object: `{"id":"${id}"`, lastMessagePreview: "null" },
});

const kindsOfMessages = [
  {},
  { author: { type: "AGENT", name: "Concierge" } },
  { direction: "INTERNAL" },
  { onClosed: "reopen" },
  { onClosed: "new" },
];
const changes = [
  { priority: "HIGH" },
  { priority: "LOW", tags: ["vip"] },
  { status: "PENDING" },
  { status: "RESOLVED" },
  { status: "OPEN" },
  { status: "CLOSED" },
  { status: "SNOOZED", snoozedUntil: "2999-01-01T00:00:00Z" },
];

/** Posts a message with the older id that a reply has in a webhook's response. */
async function reply(tenant: TestTenant, path: string): Promise<void> {
  const body = { text: newText(), author: { type: "AGENT" }, onClosed: "reopen" };
  const { id: postedId } = (await call(tenant, "POST", `${path}/messages`, body)).body;
  const asked = firstIdAt("message", new Date(Date.now() - 600_000));
  const id = `${asked.slice(0, 14)}${newId("message").slice(14)}`;
  const values = [tenant.tenantId, postedId, id];
  await pool().query("UPDATE messages SET id = $3 WHERE tenant_id = $1 AND id = $2", values);
  await pool().query(
    "UPDATE events SET payload = replace(payload, $2, $3) WHERE tenant_id = $1 AND type = 'message.sent'",
    values,
  );
}

const place = fc.nat();
const action = fc.oneof(
  { weight: 2, arbitrary: fc.record({ create: fc.constantFrom("nothing", "message", "note") }) },
  { weight: 5, arbitrary: fc.record({ post: fc.constantFrom(...kindsOfMessages), place }) },
  { weight: 5, arbitrary: fc.record({ change: fc.constantFrom(...changes), place }) },
  { weight: 1, arbitrary: fc.record({ reply: fc.constant(true), place }) },
  { weight: 1, arbitrary: fc.record({ mislead: place, place }) },
);
type Action = typeof action extends fc.Arbitrary<infer Some> ? Some : never;

/** Does what is possible: some changes are refused. */
async function make(tenant: TestTenant, actions: Action[]): Promise<void> {
  const ids: string[] = [];
  for (const made of actions) {
    if ("create" in made) {
      const note = made.create === "note" && { direction: "INTERNAL" };
      const message = made.create !== "nothing" && { message: { text: newText(), ...note } };
      const body = { channelId: "web", ...message };
      ids.push((await call(tenant, "POST", "/conversations", body)).body.id);
      continue;
    }
    const id = ids[made.place % Math.max(ids.length, 1)];
    if (!id) continue;
    const path = `/conversations/${id}`;
    if ("post" in made) {
      const body = { text: newText(), ...made.post };
      const { conversationId } = (await call(tenant, "POST", `${path}/messages`, body)).body;
      if (conversationId && !ids.includes(conversationId)) ids.push(conversationId);
    } else if ("reply" in made) await reply(tenant, path);
    else if ("change" in made) await call(tenant, "PATCH", path, made.change);
    else await call(tenant, "PATCH", path, misleading(ids[made.mislead % ids.length] ?? id));
  }
}

type Redaction = { tenant: TestTenant; id: string; path: string; isDeletedThen: boolean };

/** Redacts a message, and compares the events that this changes with those that contain its text. */
async function redactAndCompare({ tenant, id, path, isDeletedThen }: Redaction) {
  const before = await allEvents();
  const ofMessage = before.filter(
    (event) =>
      event.tenantId === tenant.tenantId &&
      event.payload.includes(`"data":{"object":{"id":"${id}"`),
  );
  const withPreview = await eventsWithPreviewAmongAll(tenant, id);
  expect((await call(tenant, "DELETE", `${path}/messages/${id}`)).status).toBe(200);
  if (isDeletedThen) expect((await call(tenant, "DELETE", path)).status).toBe(200);
  // In several batches.
  await workOff({ limit: 2 });

  const unchanged = new Set((await allEvents()).map((event) => JSON.stringify(event)));
  const changed = before.filter((event) => !unchanged.has(JSON.stringify(event)));
  const expected = [...ofMessage.map((event) => event.id), ...withPreview];
  expect(changed.map((event) => event.id).sort()).toEqual(expected.sort());
  expect(changed.filter(({ tenantId }) => tenantId !== tenant.tenantId)).toEqual([]);
}

/** Each type of event that shows a preview is there, whatever else happens. */
const firstActions: Action[] = [
  { create: "message" },
  { change: { priority: "HIGH" }, place: 0 },
  { change: { status: "PENDING" }, place: 0 },
];

test("a redaction changes the same events as one that reads all events of the environment, and no text remains", async () => {
  const work = async (actions: Action[]) => {
    const [tenant, other] = [await newTenant(), await newTenant()];
    await make(tenant, [...firstActions, ...actions]);
    await copyEvents(tenant, other);
    const where = tenant.identity.partition;
    const messages = await db().message.findMany({ where, orderBy: { text: "asc" } });
    const deleted = new Set<string>();
    for (const [index, { id, conversationId, text }] of messages.entries()) {
      if (deleted.has(conversationId)) continue;
      const isDeletedThen = index % 4 === 3;
      if (isDeletedThen) deleted.add(conversationId);
      const path = `/conversations/${conversationId}`;
      await redactAndCompare({ tenant, id, path, isDeletedThen });
      const remaining = { ...where, payload: { contains: text } };
      expect(await db().event.count({ where: remaining })).toBe(0);
    }
  };
  const actions = fc.array(action, { minLength: 10, maxLength: 30 });
  await fc.assert(fc.asyncProperty(actions, work), { numRuns: 6 });
});

test("a confirmed redaction has removed the text from all events and stored responses, and the log of each request is cleared later", async () => {
  const tenant = await newTenant();
  const text = newText();
  const creation = { channelId: "web", message: text };
  const { body } = await call(tenant, "POST", "/conversations", creation);
  const path = `/conversations/${body.id}`;
  const key = { "idempotency-key": "change" };
  await call(tenant, "PATCH", path, { priority: "HIGH" }, key);
  await call(tenant, "PATCH", path, { priority: "LOW" });
  await flushRequestLogs();
  const stored = async () => {
    const found = { where: tenant.identity.partition };
    const [events, records, logs] = await Promise.all([
      db().event.findMany(found),
      db().idempotencyRecord.findMany(found),
      db().requestLog.findMany(found),
    ]);
    return [events, records, logs].map((rows) => JSON.stringify(rows).split(text).length - 1);
  };
  expect(await stored()).toEqual([4, 1, 4]);

  const { body: page } = await call(tenant, "GET", `${path}/messages`);
  await call(tenant, "DELETE", `${path}/messages/${page.data[0].id}`);
  expect((await stored()).slice(0, 2)).toEqual([0, 0]);
  expect((await call(tenant, "PATCH", path, { priority: "HIGH" }, key)).status).toBe(410);
  await workOff();
  expect(await stored()).toEqual([0, 0, 0]);
});

test("a redaction removes the preview from an event whose id is older than the message's", async () => {
  const tenant = await newTenant();
  const { body } = await call(tenant, "POST", "/conversations", { channelId: "web" });
  const path = `/conversations/${body.id}`;
  // The ids of this process are ahead of its clock. Those of the process that changes the
  // conversation are not.
  newId("request", new Date(Date.now() + 20_000));
  const text = newText();
  const { body: message } = await call(tenant, "POST", `${path}/messages`, { text });
  restartIds();
  await call(tenant, "PATCH", path, { priority: "HIGH" });
  const where = { ...tenant.identity.partition, type: "conversation.updated" };
  const event = await db().event.findFirstOrThrow({ where });
  expect(event.payload).toContain(text);
  expect(event.id.slice(4) < message.id.slice(4)).toBe(true);

  await call(tenant, "DELETE", `${path}/messages/${message.id}`);
  await workOff();
  expect((await db().event.findFirstOrThrow({ where })).payload).not.toContain(text);
});

test("a redaction removes the preview from an event that was recorded while it waited, and changes none from after it", async () => {
  const tenant = await newTenant();
  const { body } = await call(tenant, "POST", "/conversations", {
    channelId: "web",
    message: newText(),
  });
  const path = `/conversations/${body.id}`;
  await call(tenant, "PATCH", path, { priority: "HIGH" });
  const { body: page } = await call(tenant, "GET", `${path}/messages`);
  await call(tenant, "DELETE", `${path}/messages/${page.data[0].id}`);
  // Its transaction may have started long before it had the lock of the conversation.
  await pool().query("UPDATE deletions SET deleted_at = now() - interval '1 minute'");
  await call(tenant, "PATCH", path, { priority: "LOW" });
  await workOff();

  const where = { ...tenant.identity.partition, type: "conversation.updated" };
  const events = await db().event.findMany({ where, orderBy: { id: "asc" } });
  const [before, after, ...others] = events.map(({ payload }) => JSON.parse(payload));
  expect(before).toMatchObject({ redacted: true, data: { object: { lastMessagePreview: null } } });
  expect(after.data.previousAttributes).toEqual({ priority: "HIGH" });
  expect(after.redacted).toBeUndefined();
  expect(others).toEqual([]);
});

test("a redaction removes the preview of a reply even if its conversation is deleted right afterwards", async () => {
  const tenant = await newTenant();
  const { body } = await call(tenant, "POST", "/conversations", { channelId: "web" });
  const path = `/conversations/${body.id}`;
  await reply(tenant, path);
  await call(tenant, "PATCH", path, { priority: "HIGH" });
  const { body: page } = await call(tenant, "GET", `${path}/messages`);
  const text = { payload: { contains: page.data[0].text } };
  const where = { ...tenant.identity.partition, ...text };
  expect(await db().event.count({ where })).toBe(2);

  await call(tenant, "DELETE", `${path}/messages/${page.data[0].id}`);
  await call(tenant, "DELETE", path);
  // The message is deleted before its redaction is due.
  while ((await workOffDeletions(500)) > 0);
  expect(await db().message.count({ where: tenant.identity.partition })).toBe(0);
  await workOff();
  expect(await db().event.count({ where })).toBe(0);
});

const unrelated = 10_000;

/**
 * Copies of the tenant's events, about other objects: half of them within half a minute, the rest
 * within a day.
 */
async function addUnrelatedEvents({ tenantId }: TestTenant) {
  const { rowCount } = await pool().query(
    `WITH existing AS (
       SELECT e.*, payload::jsonb #>> '{data,object,id}' AS object_id, row_number() OVER () AS place, count(*) OVER () AS events
       FROM events e WHERE tenant_id = $1
     ),
     time AS (SELECT n, now() + n * CASE WHEN n % 2 = 0 THEN interval '3 ms' ELSE interval '8 s' END AS at FROM generate_series(1, $2::int) AS n)
     INSERT INTO events (tenant_id, environment, id, type, payload, created_at)
     SELECT e.tenant_id, e.environment, 'evt_' || ulid, e.type,
       replace(replace(e.payload, e.id, 'evt_' || ulid), e.object_id, left(e.object_id, 4) || ulid), at
     FROM time CROSS JOIN LATERAL (SELECT ulid_time(at) || lpad(n::text, 16, '0') AS ulid) AS u JOIN existing e ON e.place = 1 + n % e.events`,
    [tenantId, unrelated],
  );
  expect(rowCount).toBe(unrelated);
}

test("redactions read only the events of their conversations, whatever the number of later events", async () => {
  const tenant = await newTenant();
  const messages: string[] = [];
  const texts: string[] = [];
  for (let count = 0; count < 3; count++) {
    const [first, second] = [newText(), newText()];
    const { body } = await call(tenant, "POST", "/conversations", {
      channelId: "web",
      message: first,
    });
    const path = `/conversations/${body.id}`;
    await call(tenant, "PATCH", path, { priority: "HIGH" });
    await call(tenant, "POST", `${path}/messages`, { text: second, direction: "INTERNAL" });
    await call(tenant, "POST", `${path}/messages`, { text: `${second}, again` });
    await call(tenant, "PATCH", path, { priority: "LOW" });
    const { body: page } = await call(tenant, "GET", `${path}/messages`);
    messages.push(...page.data.map(({ id }: { id: string }) => `${path}/messages/${id}`));
    texts.push(first, second);
  }
  await addUnrelatedEvents(tenant);
  await explainEverything();
  await closeDatabase();
  const plans = await plansOf(async () => {
    for (const path of messages) expect((await call(tenant, "DELETE", path)).status).toBe(200);
    await pool().query("UPDATE deletions SET deleted_at = now() + interval '1 day'");
    await workOff({ aheadMs: 2 * 86_400_000 });
  });

  const read = plans.reduce((total, { rowsRead }) => total + rowsRead, 0);
  if (process.env.SHOW_PLANS)
    for (const plan of plans) process.stdout.write(`${JSON.stringify(plan)}\n`);
  expect(plans.length).toBeGreaterThan(10 * messages.length);
  // A small table may be read whole, depending on its statistics.
  expect(read / messages.length).toBeLessThan(unrelated / 4);
  // The copies still have the texts.
  const { rows } = await pool().query<{ payload: string }>(
    "SELECT payload FROM events WHERE tenant_id = $1 AND right(id, 16) !~ '^0{8}'",
    [tenant.tenantId],
  );
  const stored = rows.map(({ payload }) => payload).join();
  for (const text of texts) expect(stored).not.toContain(text);
});
