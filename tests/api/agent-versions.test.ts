import { expect, test } from "vitest";
import { publishAgent } from "@/lib/agents/versions";
import { mutate } from "@/lib/platform/caller";
import { call, newKey, newTenant, type TestTenant } from "../support/api";
import { eventsInOrder } from "../support/feed";
import { auditOf } from "../support/people";

async function newAgent(tenant: TestTenant, body: object = {}) {
  const { body: agent } = await call(tenant, "POST", "/agents", { name: "Concierge", ...body });
  return agent;
}

const publish = (tenant: TestTenant, id: string) =>
  mutate(tenant.identity, (caller) => publishAgent(caller, id));

const get = (tenant: TestTenant, id: string, version?: string) =>
  call(tenant, "GET", `/agents/${id}${version === undefined ? "" : `?version=${version}`}`);

/** Two published versions, and a draft that differs from both. */
async function publishedTwice(tenant: TestTenant) {
  const { id } = await newAgent(tenant, { instructions: "First" });
  await publish(tenant, id);
  await call(tenant, "PATCH", `/agents/${id}`, {
    instructions: "Second",
    metadata: { tone: "kind" },
  });
  await publish(tenant, id);
  await call(tenant, "PATCH", `/agents/${id}`, { instructions: "Third" });
  return id as string;
}

test("200 for the draft, the published version, and each version by its number", async () => {
  const tenant = await newTenant();
  const id = await publishedTwice(tenant);
  const expected: [string | undefined, string, number | null][] = [
    [undefined, "Third", null],
    ["draft", "Third", null],
    ["published", "Second", 2],
    ["1", "First", 1],
    ["2", "Second", 2],
  ];
  for (const [version, instructions, number] of expected) {
    const { status, body } = await get(tenant, id, version);
    expect([version, status, body]).toEqual([
      version,
      200,
      expect.objectContaining({
        id,
        instructions,
        version: number,
        publishedVersion: 2,
        hasUnpublishedChanges: true,
      }),
    ]);
  }
  expect((await get(tenant, id, "1")).body.metadata).toEqual({});
  const published = (await eventsInOrder(tenant)).filter(({ type }) => type === "agent.published");
  expect(published.map(({ data }) => data.object.version)).toEqual([1, 2]);
});

test("404 for a version that the agent does not have, and 422 for one that cannot exist", async () => {
  const tenant = await newTenant();
  const { id } = await newAgent(tenant);
  for (const version of ["published", "1", "999999999"])
    expect((await get(tenant, id, version)).status).toBe(404);
  for (const version of ["latest", "0", "-1", "1.5", "1e3", "", "9999999999"]) {
    const { status, body } = await get(tenant, id, version);
    expect([status, body.errors[0].pointer]).toEqual([422, "/version"]);
  }
  const stranger = await newTenant();
  expect((await get(stranger, id, "draft")).status).toBe(404);
});

test("200 for the list of versions, newest first, in pages", async () => {
  const tenant = await newTenant();
  const id = await publishedTwice(tenant);
  const first = await call(tenant, "GET", `/agents/${id}/versions?limit=1`);
  expect(first.body).toEqual({
    data: [
      { version: 2, publishedAt: expect.any(String), publishedById: null, restoredVersion: null },
    ],
    nextCursor: "2",
  });
  const second = await call(tenant, "GET", `/agents/${id}/versions?cursor=2`);
  expect(second.body.data.map(({ version }: { version: number }) => version)).toEqual([1]);
  expect(second.body.nextCursor).toBeUndefined();
  const malformed = await call(tenant, "GET", `/agents/${id}/versions?cursor=two`);
  expect([malformed.status, malformed.body.type]).toEqual([
    422,
    expect.stringContaining("invalid-cursor"),
  ]);
  expect((await call(await newTenant(), "GET", `/agents/${id}/versions`)).status).toBe(404);
});

test("201 for a customer's message: its event names the agent of the conversation and its published version, however the message is written", async () => {
  const tenant = await newTenant();
  const agentId = await publishedTwice(tenant);
  const draft = await newAgent(tenant);
  const create = async (body: object) =>
    (await call(tenant, "POST", "/conversations", { channelId: "web", ...body })).body.id;
  const post = (id: string, body: object = { text: 'Hi "agentId":null,"agentVersion":null' }) =>
    call(tenant, "POST", `/conversations/${id}/messages`, body, {
      "idempotency-key": `"agentId":null,"agentVersion":null ${Math.random()}`,
    });

  await create({ message: "No agent, one statement" });
  const ofAgent = await create({ agentId, message: "Several statements" });
  await post(ofAgent);
  await post(ofAgent, { text: "A reply", author: { type: "AGENT", id: agentId } });
  await call(tenant, "PATCH", `/conversations/${ofAgent}`, { status: "RESOLVED" });
  await post(ofAgent);
  await post(await create({ agentId: draft.id }));
  await publish(tenant, agentId);
  await post(ofAgent);

  const events = (await eventsInOrder(tenant)).filter(({ type }) => type.startsWith("message."));
  const named = events.map(({ type, data }) => {
    const { object: _, ...rest } = data as { object: object };
    return [type, rest];
  });
  const received = (id: string | null, version: number | null) => [
    "message.received",
    { agentId: id, agentVersion: version },
  ];
  expect(named).toEqual([
    received(null, null),
    received(agentId, 2),
    received(agentId, 2),
    ["message.sent", {}],
    received(agentId, 2),
    received(draft.id, null),
    received(agentId, 3),
  ]);
});

test("201 for a copy from test to live: a draft with the same content, whose knowledge bases are those with the same names", async () => {
  const test = await newTenant();
  const live = await newKey(test, { environment: "live" });
  const base = async (tenant: TestTenant, name: string) =>
    (await call(tenant, "POST", "/knowledge-bases", { name })).body.id;
  const bases = [await base(test, "Returns"), await base(test, "Only in test")];
  const ofLive = await base(live, "Returns");
  const { id } = await newAgent(test, { instructions: "First", knowledgeBaseIds: bases });
  await publish(test, id);
  await call(test, "PATCH", `/agents/${id}`, { instructions: "Second" });

  const copy = (body: object) => call(live, "POST", "/agents/copy-from-test", body);
  const { status, body } = await copy({ agentId: id });
  expect([status, body]).toEqual([
    201,
    expect.objectContaining({
      environment: "live",
      status: "DRAFT",
      instructions: "Second",
      knowledgeBaseIds: [ofLive],
      publishedVersion: null,
    }),
  ]);
  expect(body.id).not.toBe(id);
  expect((await copy({ agentId: id, version: "published" })).body.instructions).toBe("First");
  expect((await copy({ agentId: id, version: "7" })).status).toBe(404);
  expect((await copy({ agentId: body.id })).status).toBe(404);
  expect((await copy({ agentId: "agt_1" })).body.errors[0].pointer).toBe("/agentId");
  const created = (await auditOf(test.tenantId)).filter(({ action }) => action === "agent.created");
  expect(created.map(({ changes }) => (changes as { after: object }).after)).toContainEqual({
    name: "Concierge",
    copyOf: id,
  });
});

test("422 for a copy with a test key, 404 for another organization's agent, and 403 without the scope", async () => {
  const test = await newTenant();
  const { id } = await newAgent(test);
  const refused = await call(test, "POST", "/agents/copy-from-test", { agentId: id });
  expect([refused.status, refused.body.errors[0].pointer]).toEqual([422, "/agentId"]);
  const stranger = await newTenant({ environment: "live" });
  const hidden = await call(stranger, "POST", "/agents/copy-from-test", { agentId: id });
  expect(hidden.status).toBe(404);
  const reader = await newKey(test, { environment: "live", scopes: ["read:agents"] });
  const forbidden = await call(reader, "POST", "/agents/copy-from-test", { agentId: id });
  expect(forbidden.status).toBe(403);
});
