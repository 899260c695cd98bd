import { expect, test } from "vitest";
import { publishAgent } from "@/lib/agents/versions";
import { postMessage } from "@/lib/conversations/messages";
import { wakeSnoozedConversations } from "@/lib/conversations/service";
import { workOffDeletions } from "@/lib/deletions/work-off-deletions";
import { processDocument } from "@/lib/knowledge/documents/process-document";
import { mutate } from "@/lib/platform/caller";
import { db, pool } from "@/lib/platform/db";
import { setCurrentTime } from "@/lib/platform/time";
import { flushRequestLogs, logRequest } from "@/lib/request-logs/request-log-buffer";
import { firstIdAt, newId } from "@/lib/resources/ids";
import { call, newTenant, type TestTenant } from "../support/api";
import { uploadFile } from "../support/documents";
import { eventsInOrder } from "../support/feed";
import { searchFindsAll } from "../support/search";

const typesOf = async (tenant: TestTenant) =>
  (await eventsInOrder(tenant)).map(({ type }: { type: string }) => type);

/** Until nothing is left, at a time when everything is due. */
async function workOff(tenant: TestTenant) {
  setCurrentTime(() => new Date(Date.now() + 60_000));
  while ((await workOffDeletions(500)) > 0);
  setCurrentTime(null);
  const where = { ...tenant.identity.partition, finishedAt: null };
  expect(await db().deletion.count({ where })).toBe(0);
}

/** Until that many requests are in the log. Another process writes its own within a second or two. */
async function logged({ identity }: TestTenant, requests: number) {
  await flushRequestLogs();
  const count = () => db().requestLog.count({ where: identity.partition });
  await expect.poll(count).toBe(requests);
}

async function addMessages({ identity }: TestTenant, conversationId: string, count: number) {
  const { tenantId, environment } = identity.partition;
  await pool().query(
    `INSERT INTO messages (tenant_id, environment, id, conversation_id, sequence, direction, author_type, text, created_at)
     SELECT $1, $2::"Environment", 'msg_' || ulid_time(now()) || lpad(n::text, 16, '0'), $3, n + 1, 'INBOUND', 'CUSTOMER', 'Hello ' || n, now()
     FROM generate_series(1, $4::int) AS n`,
    [tenantId, environment, conversationId, count],
  );
  await db().conversation.update({
    where: { tenantId_environment_id: { ...identity.partition, id: conversationId } },
    data: { messageCount: count + 1 },
  });
}

test("200 deletes a conversation at once, whatever its number of messages, and raises one event with ids only", async () => {
  const tenant = await newTenant();
  const { body: customer } = await call(tenant, "POST", "/customers", { name: "Ada" });
  const { body } = await call(tenant, "POST", "/conversations", {
    channelId: "web",
    message: "A private text",
    customerId: customer.id,
    tags: ["vip"],
    metadata: { plan: "gold" },
  });
  const path = `/conversations/${body.id}`;
  const { body: page } = await call(tenant, "GET", `${path}/messages`);
  await addMessages(tenant, body.id, 600);
  await searchFindsAll();

  const deleted = await call(tenant, "DELETE", path);

  expect(deleted).toMatchObject({ status: 200, body: { id: body.id, deleted: true } });
  // The messages are still stored, and no one can read them.
  for (const gone of [path, `${path}/messages`, `${path}/messages/${page.data[0].id}`])
    expect((await call(tenant, "GET", gone)).status).toBe(404);
  expect((await call(tenant, "POST", `${path}/messages`, { text: "More" })).status).toBe(404);
  for (const list of [
    "/conversations",
    "/conversations?tag=vip",
    "/conversations?metadata[plan]=gold",
    "/conversations/search?q=private",
  ])
    expect((await call(tenant, "GET", list)).body.data).toEqual([]);
  expect((await call(tenant, "GET", `/customers/${customer.id}`)).body.conversationCount).toBe(0);
  const [last] = (await call(tenant, "GET", "/events?type=conversation.deleted")).body.data;
  expect(last.data.object).toEqual({
    id: body.id,
    environment: "test",
    customerId: customer.id,
  });

  await workOff(tenant);
  const { partition } = tenant.identity;
  expect(await db().message.count({ where: partition })).toBe(0);
  expect(await db().searchEntry.count({ where: partition })).toBe(0);
  expect((await typesOf(tenant)).filter((type) => type === "conversation.deleted")).toHaveLength(1);
});

test("200 for a deletion leaves usage as it was, before and after the messages are gone", async () => {
  // Not only this month's, which can end meanwhile.
  const usage = `/usage?from=${new Date().toISOString().slice(0, 10)}`;
  const tenant = await newTenant();
  for (const text of ["one", "two"]) {
    const { body } = await call(tenant, "POST", "/conversations", {
      channelId: "web",
      message: text,
    });
    await call(tenant, "POST", `/conversations/${body.id}/messages`, {
      text: "Hi",
      author: { type: "AGENT" },
    });
    if (text === "one") await call(tenant, "DELETE", `/conversations/${body.id}`);
  }
  const counted = { conversationsCreated: 2, messagesReceived: 2, messagesSent: 2 };
  expect((await call(tenant, "GET", usage)).body.totals).toMatchObject(counted);
  await workOff(tenant);
  expect((await call(tenant, "GET", usage)).body.totals).toMatchObject(counted);
});

test("200 deletes once for one idempotency key, and 404 without it", async () => {
  const tenant = await newTenant();
  const { body } = await call(tenant, "POST", "/conversations", { channelId: "web" });
  const remove = (headers = {}) =>
    call(tenant, "DELETE", `/conversations/${body.id}`, undefined, headers);
  const first = await remove({ "idempotency-key": "k" });
  const again = await remove({ "idempotency-key": "k" });
  expect(again.text).toBe(first.text);
  expect(again.headers.get("idempotent-replayed")).toBe("true");
  expect((await remove()).status).toBe(404);
  expect((await typesOf(tenant)).filter((type) => type === "conversation.deleted")).toHaveLength(1);
});

test("200 redacts a message: its text is in no response, event, log, record or delivery, and it keeps its place", async () => {
  const tenant = await newTenant();
  await call(tenant, "POST", "/webhooks", { url: "http://127.0.0.1:9/hook", events: ["*"] });
  const { body: conversation } = await call(tenant, "POST", "/conversations", {
    channelId: "web",
    message: "Hello",
  });
  const path = `/conversations/${conversation.id}/messages`;
  const text = "My card is 4111-1111-1111";
  const key = { "idempotency-key": "post-1" };
  const posted = await call(tenant, "POST", path, { text, metadata: { raw: text } }, key);
  await call(tenant, "POST", path, { text, metadata: { raw: text } }, key);
  // Its event has a preview of the message.
  await call(tenant, "PATCH", `/conversations/${conversation.id}`, { priority: "HIGH" });
  await searchFindsAll();
  await logged(tenant, 5);

  const redacted = await call(
    tenant,
    "DELETE",
    `/conversations/${conversation.id}/messages/${posted.body.id}`,
  );

  expect(redacted.status).toBe(200);
  expect(redacted.body).toEqual({
    ...posted.body,
    text: "",
    metadata: {},
    redactedAt: expect.any(String),
  });
  expect((await call(tenant, "GET", `${path}/${posted.body.id}`)).text).toBe(redacted.text);
  expect((await call(tenant, "DELETE", `${path}/${posted.body.id}`)).text).toBe(redacted.text);
  const { body: after } = await call(tenant, "GET", `/conversations/${conversation.id}`);
  expect(after).toMatchObject({ lastMessagePreview: null, messageCount: 2 });
  expect((await call(tenant, "GET", "/conversations/search?q=card")).body.data).toEqual([]);
  const events = await eventsInOrder(tenant);
  expect(events.filter(({ type }) => type === "message.redacted")).toHaveLength(1);
  const received = events.filter(({ type }) => type === "message.received");
  expect(received.map(({ data }) => data.object)).toEqual([
    expect.objectContaining({ text: "Hello" }),
    redacted.body,
  ]);

  const replay = () => call(tenant, "POST", path, { text, metadata: { raw: text } }, key);
  const gone = { status: 410, body: { type: expect.stringMatching(/gone$/) } };
  expect(await replay()).toMatchObject(gone);

  await workOff(tenant);
  const { partition } = tenant.identity;
  const where = { where: partition };
  const stored = await Promise.all([
    db().event.findMany({ where: partition, select: { payload: true } }),
    db().requestLog.findMany(where),
    db().idempotencyRecord.findMany(where),
    db().conversation.findMany(where),
  ]);
  expect(JSON.stringify(stored)).not.toContain("4111-1111-1111");
  expect(await replay()).toMatchObject(gone);
  expect((await call(tenant, "GET", path)).body.data).toHaveLength(2);
});

test("200 redacts a message: responses of changes that changed nothing have no preview of it, and others stay", async () => {
  const tenant = await newTenant();
  const { body: conversation } = await call(tenant, "POST", "/conversations", {
    channelId: "web",
    message: "This one stays",
  });
  const path = `/conversations/${conversation.id}`;
  const patch = (key?: string) =>
    call(tenant, "PATCH", path, { status: "OPEN" }, key ? { "idempotency-key": key } : {});
  const early = await patch("early");
  // Longer ago than a request can wait.
  const earlier = firstIdAt("request", new Date(Date.now() - 10 * 60_000));
  await db()
    .$executeRaw`UPDATE idempotency_records SET key = ${`${conversation.id}_${earlier}·`}, created_at = now() - interval '10 minutes'
    WHERE tenant_id = ${tenant.identity.partition.tenantId} AND key LIKE ${`${conversation.id}%`}`;
  const { body: message } = await call(tenant, "POST", `${path}/messages`, {
    text: "My card is 4666-6666-6666",
  });
  const late = await patch("late");
  expect(late.text).toContain("4666-6666-6666");
  expect((await patch()).status).toBe(200);
  await logged(tenant, 5);
  expect(await typesOf(tenant)).not.toContain("conversation.updated");

  await call(tenant, "DELETE", `${path}/messages/${message.id}`);
  expect((await patch("late")).status).toBe(410);
  await workOff(tenant);

  const where = { where: tenant.identity.partition };
  const logs = await db().requestLog.findMany(where);
  const stored = JSON.stringify([logs, await db().idempotencyRecord.findMany(where)]);
  expect(stored).not.toContain("4666-6666-6666");
  expect((await patch("early")).text).toBe(early.text);
  const kept = logs.filter(({ method, responseBody }) => method === "PATCH" && responseBody);
  expect(kept.map(({ idempotencyKey }) => idempotencyKey)).toContain("early");
});

test("200 redacts a message whose conversation has thousands of such responses since, also by clocks that are ahead", async () => {
  const tenant = await newTenant();
  const text = "My card is 4999-9999-9999";
  const { body: conversation } = await call(tenant, "POST", "/conversations", {
    ...{ channelId: "web", message: text },
  });
  const { body: page } = await call(tenant, "GET", `/conversations/${conversation.id}/messages`);
  const path = `/conversations/${conversation.id}`;
  await call(tenant, "PATCH", path, { status: "OPEN" }, { "idempotency-key": "first" });
  await logged(tenant, 3);
  const { tenantId } = tenant.identity.partition;
  const later = firstIdAt("request", new Date(Date.now() + 20_000)).slice(0, -6);
  // As the requests before it: a log, a stored response, and a note that leads to both.
  const copy = (table: string, columns: string, values: string, condition: string) =>
    pool().query(
      `INSERT INTO ${table} (tenant_id, environment, ${columns})
       SELECT tenant_id, environment, ${values} FROM ${table}, generate_series(1, 2500) n WHERE tenant_id = $1 AND ${condition}`,
      [tenantId],
    );
  const number = "lpad(n::text, 6, '0')";
  const record = "fingerprint, status, body, created_at, expires_at";
  const [asStored, ofKey] = [record.replace("body", "'key-' || n"), "'key-' || n"];
  await copy("idempotency_records", `key, ${record}`, `${ofKey}, ${record}`, "key = 'first'");
  await copy(
    "idempotency_records",
    `key, ${record}`,
    `'${conversation.id}_${later}' || ${number} || '·', ${asStored}`,
    "key LIKE 'cnv%'",
  );
  const log =
    "api_key_id, method, path, status, duration_ms, request_body, response_body, created_at";
  await copy("request_logs", `id, ${log}`, `'${later}' || ${number}, ${log}`, "method = 'PATCH'");

  await call(tenant, "DELETE", `${path}/messages/${page.data[0].id}`);
  const where = { where: tenant.identity.partition };
  const records = JSON.stringify(await db().idempotencyRecord.findMany(where));
  expect(records).not.toContain("4999-9999-9999");
  await workOff(tenant);
  const logs = await db().requestLog.findMany(where);
  expect(logs.length).toBeGreaterThan(2_500);
  expect(JSON.stringify(logs)).not.toContain("4999-9999-9999");
});

test("200 redacts a message with files: their names, texts and hashes are in no log or record, and other files stay", async () => {
  const tenant = await newTenant();
  const key = { "idempotency-key": "upload-1" };
  const upload = () => uploadFile(tenant, "Her passport", "passport-4777.txt", key);
  const [file, again] = [await upload(), await upload()];
  expect(again.text).toBe(file.text);
  const body = { name: "visa-4777.txt", text: "Her visa, 4777" };
  const withoutKey = await call(tenant, "POST", "/files", body);
  const other = await uploadFile(tenant, "A manual", "manual.txt", { "idempotency-key": "other" });
  const attachments = [file.body.id, withoutKey.body.id];
  const { body: conversation } = await call(tenant, "POST", "/conversations", {
    channelId: "web",
    message: { text: "See the files", attachments },
  });
  const path = `/conversations/${conversation.id}/messages`;
  await call(tenant, "POST", path, { text: "And this one", attachments: [other.body.id] });
  await logged(tenant, 6);
  const { body: page } = await call(tenant, "GET", path);

  await call(tenant, "DELETE", `${path}/${page.data[0].id}`);
  // Immediately, not only once the log is cleared.
  expect((await upload()).status).toBe(410);
  await workOff(tenant);

  const where = { where: tenant.identity.partition };
  const logs = await db().requestLog.findMany(where);
  const stored = JSON.stringify([logs, await db().idempotencyRecord.findMany(where)]);
  for (const trace of ["4777", file.body.sha256, withoutKey.body.sha256])
    expect(stored).not.toContain(trace);
  const kept = logs.filter(({ path, responseBody }) => path.endsWith("/files") && responseBody);
  expect(kept.map(({ idempotencyKey }) => idempotencyKey)).toContain("other");
  expect(stored).toContain(other.body.sha256);
  expect((await upload()).status).toBe(410);
});

test("200 redacts the event of a message that was posted while other requests were served", async () => {
  const tenant = await newTenant();
  const { body } = await call(tenant, "POST", "/conversations", { channelId: "web" });
  const client = await pool().connect();
  await client.query("BEGIN");
  await client.query("LOCK TABLE messages IN SHARE MODE");
  const posting = mutate(tenant.identity, (caller) =>
    postMessage(caller, body.id, { text: "My card is 4111-1111-1111" }),
  );
  const waiting = `SELECT 1 FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE 'INSERT INTO%messages%'`;
  while ((await pool().query(waiting)).rowCount === 0);
  // The id of another request. The message's event gets an id after it.
  newId("request", new Date(Date.now() + 5));
  await client.query("COMMIT");
  client.release();
  const { id } = await posting;

  await call(tenant, "DELETE", `/conversations/${body.id}/messages/${id}`);

  const [event] = await db().event.findMany({
    where: { ...tenant.identity.partition, type: "message.received" },
  });
  expect(event?.id.slice(4, 14)).not.toBe(id.slice(4, 14));
  expect(JSON.parse(event?.payload ?? "")).toMatchObject({
    redacted: true,
    data: { object: { id, text: "" } },
  });
});

test("200 redacts the event of a message whose conversation was changed before by a clock that was ahead", async () => {
  const tenant = await newTenant();
  const { body } = await call(tenant, "POST", "/conversations", { channelId: "web" });
  const updatedAt = new Date(Date.now() + 10 * 60_000);
  const partition = tenant.identity.partition;
  await db().conversation.updateMany({ where: { ...partition, id: body.id }, data: { updatedAt } });
  const path = `/conversations/${body.id}/messages`;
  const text = "My card is 4888-8888-8888";
  const { body: message } = await call(tenant, "POST", path, { text });
  expect(message.createdAt).toBe(updatedAt.toISOString());
  // It changes nothing, so no event names this request, whose response has the preview.
  const key = { "idempotency-key": "unchanged" };
  const patch = () => call(tenant, "PATCH", `/conversations/${body.id}`, { status: "OPEN" }, key);
  expect((await patch()).text).toContain("4888-8888-8888");
  await logged(tenant, 3);

  await call(tenant, "DELETE", `${path}/${message.id}`);
  expect((await patch()).status).toBe(410);
  await workOff(tenant);
  const logs = await db().requestLog.findMany({ where: partition });
  expect(JSON.stringify(logs)).not.toContain("4888-8888-8888");
  const events = await db().event.findMany({ where: partition });
  expect(events.filter(({ type }) => type === "message.received")).toHaveLength(1);
  expect(JSON.stringify(events.map(({ payload }) => payload))).not.toContain("4888-8888-8888");
});

test("200 redacts a note, which has no event: its text is in no log or record", async () => {
  const tenant = await newTenant();
  const note = { text: "Their card is 4222-2222-2222", direction: "INTERNAL" };
  const { body: conversation } = await call(tenant, "POST", "/conversations", {
    channelId: "web",
    message: "Hello",
  });
  const path = `/conversations/${conversation.id}/messages`;
  const key = { "idempotency-key": "note-1" };
  await call(tenant, "POST", path, note, key);
  await call(tenant, "POST", path, note, key);
  await call(tenant, "POST", path, { ...note, text: "This one stays" });
  await logged(tenant, 4);
  const { body: page } = await call(tenant, "GET", path);
  for (const { id, text } of page.data)
    if (text === note.text) await call(tenant, "DELETE", `${path}/${id}`);
  await workOff(tenant);

  const where = { where: tenant.identity.partition };
  const stored = JSON.stringify([
    await db().message.findMany(where),
    await db().requestLog.findMany(where),
    await db().idempotencyRecord.findMany(where),
  ]);
  expect(stored).not.toContain("4222-2222-2222");
  expect(stored).toContain("This one stays");
  expect((await call(tenant, "POST", path, note, key)).status).toBe(410);
});

test("200 redacts a note whose first log was lost in a crash: repeated requests get no text, and leave none", async () => {
  const tenant = await newTenant();
  const note = { text: "Their card is 4555-5555-5555", direction: "INTERNAL" };
  const { body: conversation } = await call(tenant, "POST", "/conversations", { channelId: "web" });
  const path = `/conversations/${conversation.id}/messages`;
  const post = () => call(tenant, "POST", path, note, { "idempotency-key": "lost" });
  const { body } = await post();
  await logged(tenant, 2);
  const where = { ...tenant.identity.partition, idempotencyKey: "lost" };
  await db().requestLog.deleteMany({ where });
  // A repeat from long after it.
  await post();
  await logged(tenant, 2);
  const later = firstIdAt("request", new Date(Date.now() + 60_000));
  await db().requestLog.updateMany({ where, data: { id: later } });

  await call(tenant, "DELETE", `${path}/${body.id}`);
  // Immediately, not only once the log is cleared.
  expect((await post()).status).toBe(410);
  await workOff(tenant);
  expect((await post()).status).toBe(410);
  await flushRequestLogs();
  const stored = { where: tenant.identity.partition };
  await expect.poll(() => db().requestLog.count(stored)).toBe(5);
  const all = [
    await db().requestLog.findMany(stored),
    await db().idempotencyRecord.findMany(stored),
  ];
  expect(JSON.stringify(all)).not.toContain("4555-5555-5555");
});

test("a log that is written long after its response has no text that was removed meanwhile", async () => {
  const tenant = await newTenant();
  const completed = {
    key: { id: tenant.keyId, ...tenant.identity.partition },
    ...{
      method: "PUT",
      path: "/v1/public/customers/by-external-id/ada-lovelace?x=ada",
      status: 409,
    },
    ...{ durationMs: 1, idempotencyKey: "ada", address: null, userAgent: null, isReplay: false },
    requestBody: Buffer.from('{"name":"Ada"}'),
    responseBody: '{"type":"https://example.com/errors/conflict","detail":"Ada"}',
    startedAt: new Date(),
  };
  const [late, other, soon] = [newId("request"), newId("request"), newId("request")];
  const conversationId = newId("conversation");
  const path = `/v1/public/customers/ada@example.com/${conversationId}/messages`;
  try {
    logRequest({ ...completed, id: late } as never);
    logRequest({ ...completed, id: other, path } as never);
    setCurrentTime(() => new Date(Date.now() + 10_000));
    logRequest({ ...completed, id: soon } as never);
    await flushRequestLogs();
  } finally {
    setCurrentTime(null);
  }
  const logs = await db().requestLog.findMany({
    where: tenant.identity.partition,
    orderBy: { id: "asc" },
  });
  expect(logs).toMatchObject([
    {
      ...{ id: late, path: "/v1/public/customers/by-external-id/[removed]", errorKind: "conflict" },
      ...{ idempotencyKey: null, requestBody: null, responseBody: null },
    },
    { id: other, path: `/v1/public/customers/[removed]/${conversationId}/messages` },
    { id: soon, path: completed.path, idempotencyKey: "ada", requestBody: '{"name":"Ada"}' },
  ]);
});

test("a redacted message leaves no preview in events, even if its conversation is deleted right afterwards", async () => {
  const tenant = await newTenant();
  const { body } = await call(tenant, "POST", "/conversations", {
    channelId: "web",
    message: "My card is 4333-3333-3333",
  });
  const path = `/conversations/${body.id}`;
  await call(tenant, "PATCH", path, { priority: "HIGH" });
  const { body: page } = await call(tenant, "GET", `${path}/messages`);
  await call(tenant, "DELETE", `${path}/messages/${page.data[0].id}`);
  await call(tenant, "DELETE", path);
  // The messages are deleted before the redaction is due.
  while ((await workOffDeletions(500)) > 0);
  await flushRequestLogs();
  await workOff(tenant);
  const where = { where: tenant.identity.partition };
  const stored = [await db().event.findMany({ ...where, select: { payload: true } })];
  expect(JSON.stringify([stored, await db().requestLog.findMany(where)])).not.toContain(
    "4333-3333-3333",
  );
});

test("redacting a message leaves the stored response of a later request with the same idempotency key", async () => {
  const tenant = await newTenant();
  const { body } = await call(tenant, "POST", "/conversations", { channelId: "web" });
  const path = `/conversations/${body.id}/messages`;
  const posted = await call(tenant, "POST", path, { text: "Hi" }, { "idempotency-key": "k" });
  await flushRequestLogs();
  const where = { ...tenant.identity.partition, key: "k" };
  const later = { body: "another response", createdAt: new Date(Date.now() + 86_400_000) };
  await db().idempotencyRecord.updateMany({ where, data: later });
  await call(tenant, "DELETE", `${path}/${posted.body.id}`);
  await workOff(tenant);
  expect(await db().idempotencyRecord.findFirst({ where })).toMatchObject(later);
});

test("409 in-use with the number of conversations for a customer, and 200 with cascade deletes both", async () => {
  const tenant = await newTenant();
  const { body: customer } = await call(tenant, "POST", "/customers", { externalId: "c-1" });
  const conversations = [];
  for (const text of ["one", "two"]) {
    const body = { channelId: "web", message: text, customerId: customer.id };
    conversations.push((await call(tenant, "POST", "/conversations", body)).body.id);
  }
  const path = `/customers/${customer.id}`;
  expect(await call(tenant, "DELETE", path)).toMatchObject({
    status: 409,
    body: { type: expect.stringMatching(/in-use$/), conversationCount: 2 },
  });
  expect((await call(tenant, "GET", path)).status).toBe(200);

  const deleted = await call(tenant, "DELETE", `${path}?cascade=true`);
  expect(deleted).toMatchObject({ status: 200, body: { id: customer.id, deleted: true } });
  for (const id of conversations)
    expect((await call(tenant, "GET", `/conversations/${id}`)).status).toBe(404);
  expect((await call(tenant, "GET", path)).status).toBe(404);
  expect((await typesOf(tenant)).slice(-3)).toEqual([
    "conversation.deleted",
    "conversation.deleted",
    "customer.deleted",
  ]);
  // Its externalId is free again.
  const again = await call(tenant, "POST", "/customers", { externalId: "c-1" });
  expect(again.status).toBe(201);
  await workOff(tenant);
  expect(await db().message.count({ where: tenant.identity.partition })).toBe(0);
});

test("200 deletes a knowledge base at once, with its documents and files", async () => {
  const tenant = await newTenant();
  const { body: base } = await call(tenant, "POST", "/knowledge-bases", { name: "Manual" });
  const path = `/knowledge-bases/${base.id}`;
  const ids = [];
  for (const name of ["a.txt", "b.txt"]) {
    const text = `Some words to find in ${name}`;
    const { body } = await call(tenant, "POST", `${path}/documents`, { name, text });
    await processDocument({ ...tenant.identity.partition, id: body.id });
    ids.push(body.id);
  }
  const { body: agent } = await call(tenant, "POST", "/agents", {
    name: "Helper",
    knowledgeBaseIds: [base.id],
  });

  const deleted = await call(tenant, "DELETE", `/knowledge-bases/${base.id}`);
  expect(deleted.body).toEqual({ id: base.id, deleted: true });

  for (const gone of [
    path,
    `${path}/documents`,
    `${path}/documents/${ids[0]}`,
    `${path}/search?q=a`,
  ])
    expect((await call(tenant, "GET", gone)).status).toBe(404);
  expect((await call(tenant, "GET", "/knowledge-bases")).body.data).toEqual([]);
  const agents = { name: "Other", knowledgeBaseIds: [base.id] };
  expect((await call(tenant, "POST", "/agents", agents)).status).toBe(404);
  expect((await call(tenant, "GET", `/agents/${agent.id}`)).body.knowledgeBaseIds).toEqual([
    base.id,
  ]);
  // Its name is free again.
  expect((await call(tenant, "POST", "/knowledge-bases", { name: "Manual" })).status).toBe(201);

  await workOff(tenant);
  const { partition } = tenant.identity;
  expect(await db().document.count({ where: partition })).toBe(0);
  expect(await db().documentChunk.count({ where: partition })).toBe(0);
  expect(await db().knowledgeBase.count({ where: { ...partition, id: base.id } })).toBe(0);
  expect(await db().strayBlob.count({ where: partition })).toBe(2);
});

test("a document that is read after its knowledge base was deleted raises no event", async () => {
  const tenant = await newTenant();
  const { body: base } = await call(tenant, "POST", "/knowledge-bases", { name: "Manual" });
  const path = `/knowledge-bases/${base.id}`;
  const ids = [];
  // The second one has no text, so it fails.
  for (const text of ["Some words", " "]) {
    const { body } = await call(tenant, "POST", `${path}/documents`, { name: "a.txt", text });
    ids.push(body.id);
  }
  await call(tenant, "DELETE", path);
  for (const id of ids)
    expect(await processDocument({ ...tenant.identity.partition, id })).toBe(true);
  expect((await typesOf(tenant)).at(-1)).toBe("knowledge_base.deleted");
});

test("200 deletes a draft agent; 409 for one that was published or that conversations refer to", async () => {
  const tenant = await newTenant();
  const newAgent = async () => (await call(tenant, "POST", "/agents", { name: "A" })).body.id;
  const [draft, published, used] = [await newAgent(), await newAgent(), await newAgent()];
  await mutate(tenant.identity, (caller) => publishAgent(caller, published));
  await call(tenant, "POST", "/conversations", { channelId: "web", agentId: used });

  const remove = (id: string) => call(tenant, "DELETE", `/agents/${id}`);
  expect((await remove(draft)).body).toEqual({ id: draft, deleted: true });
  expect(await remove(published)).toMatchObject({
    status: 409,
    body: { type: expect.stringMatching(/invalid-transition$/), from: "PUBLISHED" },
  });
  expect(await remove(used)).toMatchObject({
    status: 409,
    body: { type: expect.stringMatching(/in-use$/) },
  });
  expect((await call(tenant, "GET", `/agents/${draft}`)).status).toBe(404);
  expect((await typesOf(tenant)).at(-1)).toBe("agent.deleted");
});

test("200 deletes a knowledge base whose id is the name of another one, and any name is free afterwards", async () => {
  const tenant = await newTenant();
  const post = (name: string) => call(tenant, "POST", "/knowledge-bases", { name });
  const { body: base } = await post("Manual");
  expect((await post(base.id)).status).toBe(201);
  expect((await call(tenant, "DELETE", `/knowledge-bases/${base.id}`)).status).toBe(200);
  expect((await post("Manual")).status).toBe(201);
});

test("404 for a conversation whose customer or agent is deleted at the same moment", async () => {
  const tenant = await newTenant();
  const { partition } = tenant.identity;
  const { body: open } = await call(tenant, "POST", "/conversations", { channelId: "web" });
  const waiting = `SELECT FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock' AND (query LIKE '%conversation%' OR query LIKE '%FOR KEY SHARE%')`;
  const references = {
    customerId: { path: "/customers", model: "customer" },
    agentId: { path: "/agents", model: "agent" },
  } as const;
  for (const [field, { path, model }] of Object.entries(references)) {
    for (const [method, place] of [
      ["POST", "/conversations"],
      ["PATCH", `/conversations/${open.id}`],
    ] as const) {
      const { id } = (await call(tenant, "POST", path, { name: "Ada" })).body;
      const body = { [field]: id, ...(method === "POST" && { channelId: "web" }) };
      // The request finds the row, or locks it, and then waits for the one who deletes it.
      const request = await db().$transaction(async (transaction) => {
        await transaction.$queryRawUnsafe(`SELECT 1 FROM ${model}s WHERE id = $1 FOR UPDATE`, id);
        const sent = call(tenant, method, place, body);
        await expect.poll(async () => (await pool().query(waiting)).rowCount).toBe(1);
        const where = { ...partition, id };
        if (model === "agent") await transaction.agent.deleteMany({ where });
        else await transaction.customer.deleteMany({ where });
        return [sent];
      });
      expect([method, field, (await request[0])?.status]).toEqual([method, field, 404]);
    }
  }
  expect(await db().conversation.count({ where: partition })).toBe(1);
});

test("the deletion of many conversations does not delay that of another organization's only one", async () => {
  const [large, small] = [await newTenant(), await newTenant()];
  const newConversation = async (tenant: TestTenant) =>
    (await call(tenant, "POST", "/conversations", { channelId: "web", message: "Hello" })).body.id;
  const remove = async (tenant: TestTenant, id: string) =>
    expect((await call(tenant, "DELETE", `/conversations/${id}`)).status).toBe(200);
  for (let count = 0; count < 30; count++) await remove(large, await newConversation(large));
  const only = await newConversation(small);
  await remove(small, only);

  // One call works off 20 deletions. All of them would be of the large one, which are older.
  await workOffDeletions(500);
  expect(await db().message.count({ where: { conversationId: only } })).toBe(0);
  expect(await db().message.count({ where: { tenantId: large.tenantId } })).toBeGreaterThan(0);
  await workOff(large);
});

test("409 in-use counts the conversations themselves", async () => {
  const tenant = await newTenant();
  const { body: customer } = await call(tenant, "POST", "/customers", { name: "Ada" });
  const body = { channelId: "web", customerId: customer.id };
  const { body: conversation } = await call(tenant, "POST", "/conversations", body);
  const where = { ...tenant.identity.partition, id: customer.id };
  await db().customer.updateMany({ where, data: { conversationCount: 0 } });
  expect(await call(tenant, "DELETE", `/customers/${customer.id}`)).toMatchObject({
    status: 409,
    body: { conversationCount: 1 },
  });
  expect((await call(tenant, "GET", `/conversations/${conversation.id}`)).status).toBe(200);
});

test("a snoozed conversation that is deleted while it is due does not keep the others asleep", async () => {
  const tenant = await newTenant();
  const ids: string[] = [];
  for (let count = 0; count < 2; count++) {
    const { body } = await call(tenant, "POST", "/conversations", { channelId: "web" });
    const snoozedUntil = new Date(Date.now() + (1 + count) * 60_000).toISOString();
    await call(tenant, "PATCH", `/conversations/${body.id}`, { status: "SNOOZED", snoozedUntil });
    ids.push(body.id);
  }
  const client = await pool().connect();
  await client.query("BEGIN");
  await client.query("DELETE FROM conversations WHERE id = $1", [ids[0]]);
  setCurrentTime(() => new Date(Date.now() + 3_600_000));
  const waking = wakeSnoozedConversations(100).finally(() => setCurrentTime(null));
  const waiting = `SELECT 1 FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%FROM conversations%'`;
  while ((await pool().query(waiting)).rowCount === 0);
  await client.query("COMMIT");
  client.release();
  await waking;
  expect((await call(tenant, "GET", `/conversations/${ids[1]}`)).body.status).toBe("OPEN");
});

test("redacting a message clears the log of a repeated request, also if that of the first one was lost in a crash", async () => {
  const tenant = await newTenant();
  const { body } = await call(tenant, "POST", "/conversations", { channelId: "web" });
  const path = `/conversations/${body.id}/messages`;
  const post = () =>
    call(tenant, "POST", path, { text: "A repeated secret" }, { "idempotency-key": "repeated" });
  const { body: message } = await post();
  await logged(tenant, 2);
  const where = { ...tenant.identity.partition, idempotencyKey: "repeated" };
  await db().requestLog.deleteMany({ where });
  expect((await post()).body.id).toBe(message.id);
  await logged(tenant, 2);

  await call(tenant, "DELETE", `${path}/${message.id}`);
  await workOff(tenant);
  const logs = await db().requestLog.findMany({ where });
  expect(logs.map(({ requestBody, responseBody }) => [requestBody, responseBody])).toEqual([
    [null, null],
  ]);
});
