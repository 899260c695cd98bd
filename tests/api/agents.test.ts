import { describe, expect, test } from "vitest";
import { archiveAgent, listAgents, updateAgent } from "@/lib/agents/service";
import { listAgentVersions, publishAgent, rollBackAgent } from "@/lib/agents/versions";
import { mutate, reader } from "@/lib/platform/caller";
import { db } from "@/lib/platform/db";
import { newId } from "@/lib/resources/ids";
import { call, newKey, newTenant, retried, type TestTenant, withoutIds } from "../support/api";

const person = { type: "USER" as const, id: newId("user"), role: "MEMBER" as const };
const asPerson = (tenant: TestTenant) => ({ ...tenant.identity, actor: person });
const publish = (tenant: TestTenant, id: string) =>
  mutate(asPerson(tenant), (caller) => publishAgent(caller, id));
const archive = (tenant: TestTenant, id: string) =>
  mutate(asPerson(tenant), (caller) => archiveAgent(caller, id));
const rollBack = (tenant: TestTenant, id: string, version: number) =>
  mutate(asPerson(tenant), (caller) => rollBackAgent(caller, id, version));
const versionsOf = async (tenant: TestTenant, id: string) =>
  (await listAgentVersions(reader(tenant.identity), id, { limit: 100 })).data;
const get = async (tenant: TestTenant, id: string) =>
  (await call(tenant, "GET", `/agents/${id}`)).body;
const eventsOf = async (tenant: TestTenant, type: string) =>
  (await call(tenant, "GET", `/events?type=${type}`)).body.data;
const auditOf = async ({ tenantId }: TestTenant, targetId: string) =>
  (
    await db().auditEntry.findMany({ where: { tenantId, targetId }, orderBy: { sequence: "asc" } })
  ).map(({ action }) => action);

async function newAgent(tenant: TestTenant, body: object = {}) {
  const { status, body: agent } = await call(tenant, "POST", "/agents", {
    name: "Support",
    ...body,
  });
  expect(status).toBe(201);
  return agent;
}

async function newKnowledgeBase({ identity: { partition } }: TestTenant) {
  const at = new Date();
  const id = newId("knowledgeBase");
  await db().knowledgeBase.create({
    data: { ...partition, id, name: id, createdAt: at, updatedAt: at },
  });
  return id;
}

describe("drafts", () => {
  test("201 returns the complete agent as a draft, and GET returns the same", async () => {
    const tenant = await newTenant();
    const knowledgeBaseId = await newKnowledgeBase(tenant);
    const body = {
      name: "Support",
      description: "First line",
      model: "small-1",
      instructions: "Be kind.",
      greeting: "Hello!",
      temperature: 0.5,
      knowledgeBaseIds: [knowledgeBaseId],
      metadata: { team: "blue" },
    };

    const created = await call(tenant, "POST", "/agents", body);

    expect(created.status).toBe(201);
    expect(created.body).toEqual({
      ...body,
      id: expect.stringMatching(/^agt_/),
      environment: "test",
      status: "DRAFT",
      version: null,
      hasUnpublishedChanges: true,
      publishedVersion: null,
      publishedAt: null,
      createdAt: expect.any(String),
      updatedAt: created.body.createdAt,
    });
    expect((await call(tenant, "GET", `/agents/${created.body.id}`)).text).toBe(created.text);
    const [event] = await eventsOf(tenant, "agent.created");
    expect(event.data).toEqual({ object: created.body });
  });

  test("201 with nothing but a name leaves everything else empty", async () => {
    const agent = await newAgent(await newTenant());
    const empty = {
      description: null,
      model: null,
      instructions: null,
      greeting: null,
      temperature: null,
    };
    expect(agent).toMatchObject({ ...empty, knowledgeBaseIds: [], metadata: {} });
  });

  test("200 merges a patch, clears fields with null, and raises one event with the previous values", async () => {
    const tenant = await newTenant();
    const agent = await newAgent(tenant, { greeting: "Hello!", metadata: { a: 1, b: 2 } });

    const patch = { name: "Sales", greeting: null, temperature: 0, metadata: { a: null, c: 3 } };
    const patched = await call(tenant, "PATCH", `/agents/${agent.id}`, patch);
    const unchanged = await call(tenant, "PATCH", `/agents/${agent.id}`, {
      name: "Sales",
      metadata: { c: 3 },
    });

    expect(patched.body).toEqual({
      ...agent,
      ...patch,
      metadata: { b: 2, c: 3 },
      updatedAt: expect.any(String),
    });
    expect(unchanged.text).toBe(patched.text);
    const events = await eventsOf(tenant, "agent.updated");
    expect(events).toHaveLength(1);
    const previousAttributes = {
      name: "Support",
      greeting: "Hello!",
      temperature: null,
      metadata: { a: 1, b: 2 },
    };
    expect(events[0].data).toEqual({ object: patched.body, previousAttributes });
  });

  test("200 for 20 concurrent patches keeps every key", async () => {
    const tenant = await newTenant();
    const { id } = await newAgent(tenant);
    const names = Array.from({ length: 20 }, (_, index) => `k${index}`);

    const replies = await Promise.all(
      names.map((name) => call(tenant, "PATCH", `/agents/${id}`, { metadata: { [name]: true } })),
    );

    expect(replies.map(({ status }) => status)).toEqual(names.map(() => 200));
    expect(Object.keys((await get(tenant, id)).metadata).toSorted()).toEqual(names.toSorted());
    expect(await eventsOf(tenant, "agent.updated")).toHaveLength(20);
  });

  test("201 creates one agent for 20 concurrent requests with one idempotency key", async () => {
    const tenant = await newTenant();
    const post = () =>
      call(tenant, "POST", "/agents", { name: "Support" }, { "idempotency-key": "one" });
    const replies = await Promise.all(Array.from({ length: 20 }, () => retried(post)));
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
    expect((await call(tenant, "GET", "/agents")).body.data).toHaveLength(1);
  });

  test("200 lists agents newest first and pages through all of them", async () => {
    const tenant = await newTenant();
    const made = [];
    for (let index = 0; index < 5; index++)
      made.push((await newAgent(tenant, { name: `Agent ${index}` })).id);

    const found: string[] = [];
    let cursor = "";
    do {
      const { body } = await call(tenant, "GET", `/agents?limit=2${cursor && `&cursor=${cursor}`}`);
      found.push(...body.data.map(({ id }: { id: string }) => id));
      cursor = body.nextCursor ?? "";
    } while (cursor);

    expect(found).toEqual(made.toReversed());
  });
});

describe("invalid requests", () => {
  const valid = { name: "Support" };
  test.each<[string, object, string, string]>([
    ["no name", {}, "/name", "required"],
    ["an empty name", { name: " " }, "/name", "too_small"],
    ["a name of null", { name: null }, "/name", "invalid_type"],
    ["a name of 101 characters", { name: "x".repeat(101) }, "/name", "too_big"],
    [
      "a description of 501 characters",
      { ...valid, description: "x".repeat(501) },
      "/description",
      "too_big",
    ],
    ["a model of 101 characters", { ...valid, model: "x".repeat(101) }, "/model", "too_big"],
    [
      "instructions of 32,001 characters",
      { ...valid, instructions: "x".repeat(32_001) },
      "/instructions",
      "too_big",
    ],
    [
      "a greeting of 1,001 characters",
      { ...valid, greeting: "x".repeat(1_001) },
      "/greeting",
      "too_big",
    ],
    ["a temperature below 0", { ...valid, temperature: -0.1 }, "/temperature", "too_small"],
    ["a temperature above 2", { ...valid, temperature: 2.1 }, "/temperature", "too_big"],
    ["a temperature in words", { ...valid, temperature: "0" }, "/temperature", "invalid_type"],
    [
      "21 knowledge bases",
      { ...valid, knowledgeBaseIds: Array.from({ length: 21 }, () => newId("knowledgeBase")) },
      "/knowledgeBaseIds",
      "too_big",
    ],
    [
      "an id of another resource",
      { ...valid, knowledgeBaseIds: [newId("document")] },
      "/knowledgeBaseIds/0",
      "custom",
    ],
    [
      "51 metadata keys",
      {
        ...valid,
        metadata: Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`k${i}`, 1])),
      },
      "/metadata",
      "custom",
    ],
    ["a status", { ...valid, status: "PUBLISHED" }, "/status", "read_only"],
    ["a published version", { ...valid, publishedVersion: 1 }, "/publishedVersion", "read_only"],
    [
      "what is computed",
      { ...valid, hasUnpublishedChanges: false },
      "/hasUnpublishedChanges",
      "read_only",
    ],
    ["an unknown field", { ...valid, tools: [] }, "/tools", "unknown_field"],
  ])("422 for %s, on creation and in a patch", async (what, body, pointer, code) => {
    const tenant = await newTenant();
    const { id } = await newAgent(tenant);
    const refused = { status: 422, body: { errors: [{ pointer, location: "body", code }] } };

    expect(await call(tenant, "POST", "/agents", body)).toMatchObject(refused);
    if (what !== "no name")
      expect(await call(tenant, "PATCH", `/agents/${id}`, body)).toMatchObject(refused);
    expect((await call(tenant, "GET", "/agents")).body.data).toHaveLength(1);
  });

  test("422 for a patch that adds a 51st metadata key", async () => {
    const tenant = await newTenant();
    const { id } = await newAgent(tenant, {
      metadata: Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`k${i}`, 1])),
    });
    const reply = await call(tenant, "PATCH", `/agents/${id}`, { metadata: { another: 1 } });
    expect(reply).toMatchObject({ status: 422, body: { errors: [{ pointer: "/metadata" }] } });
  });

  test("422 for a query that the list does not know", async () => {
    const tenant = await newTenant();
    expect((await call(tenant, "GET", "/agents?status=DRAFT")).status).toBe(422);
    expect((await call(tenant, "GET", `/agents?cursor=${newId("customer")}`)).body.type).toMatch(
      /invalid-cursor$/,
    );
  });

  test("404 is the same for another tenant's knowledge base, the other environment's and none, and nothing is written", async () => {
    const tenant = await newTenant();
    const { id } = await newAgent(tenant);
    const own = await newKnowledgeBase(tenant);
    const foreign = [
      await newKnowledgeBase(await newTenant()),
      await newKnowledgeBase(await newKey(tenant, { environment: "live" })),
    ];
    const missing = await call(tenant, "POST", "/agents", {
      name: "x",
      knowledgeBaseIds: [newId("knowledgeBase")],
    });
    expect(missing).toMatchObject({
      status: 404,
      body: { type: expect.stringMatching(/not-found$/) },
    });

    for (const knowledgeBaseId of foreign) {
      const body = { name: "x", knowledgeBaseIds: [own, knowledgeBaseId] };
      for (const reply of [
        await call(tenant, "POST", "/agents", body),
        await call(tenant, "PATCH", `/agents/${id}`, body),
      ]) {
        expect(reply.status).toBe(404);
        expect(withoutIds(reply.body)).toEqual(withoutIds(missing.body));
      }
    }
    const { data } = (await call(tenant, "GET", "/agents")).body;
    expect(data).toMatchObject([{ id, name: "Support", knowledgeBaseIds: [] }]);
  });

  test("404 is the same for another tenant's agent, the other environment's and none", async () => {
    const tenant = await newTenant();
    const { id } = await newAgent(tenant);
    for (const stranger of [await newTenant(), await newKey(tenant, { environment: "live" })]) {
      for (const [method, body] of [["GET"], ["PATCH", { name: "x" }]] as const) {
        const hidden = await call(stranger, method, `/agents/${id}`, body);
        const missing = await call(
          stranger,
          method,
          "/agents/agt_00000000000000000000000000",
          body,
        );
        expect(hidden.status).toBe(404);
        expect(withoutIds(hidden.body)).toEqual(withoutIds(missing.body));
      }
      expect((await call(stranger, "GET", "/agents")).body).toEqual({ data: [] });
      await expect(publish(stranger, id)).rejects.toMatchObject({ kind: "not-found" });
      await expect(archive(stranger, id)).rejects.toMatchObject({ kind: "not-found" });
      await expect(versionsOf(stranger, id)).rejects.toMatchObject({ kind: "not-found" });
    }
    expect(await get(tenant, id)).toMatchObject({ name: "Support", status: "DRAFT" });
  });
});

describe("publishing", () => {
  test("the draft becomes version 1, with an event and an audit entry that names the person", async () => {
    const tenant = await newTenant();
    const { id } = await newAgent(tenant, { instructions: "Be kind." });

    const published = await publish(tenant, id);

    expect(published).toMatchObject({
      status: "PUBLISHED",
      publishedVersion: 1,
      hasUnpublishedChanges: false,
      publishedAt: expect.any(String),
    });
    expect(await get(tenant, id)).toEqual(published);
    expect(await versionsOf(tenant, id)).toMatchObject([
      { version: 1, content: { instructions: "Be kind." }, publishedById: person.id },
    ]);
    const [event] = await eventsOf(tenant, "agent.published");
    expect(event.data).toMatchObject({
      object: { ...published, version: 1 },
      previousAttributes: { status: "DRAFT", publishedVersion: null },
    });
    expect(await auditOf(tenant, id)).toEqual(["agent.created", "agent.published"]);
  });

  test("200 for a patch of a published agent changes only the draft, and reverting it leaves nothing to publish", async () => {
    const tenant = await newTenant();
    const { id } = await newAgent(tenant, { instructions: "Be kind.", metadata: { a: 1 } });
    await publish(tenant, id);
    const [version] = await versionsOf(tenant, id);

    const changed = await call(tenant, "PATCH", `/agents/${id}`, {
      instructions: "Be brief.",
      metadata: { a: 2 },
    });
    expect(changed.body).toMatchObject({
      status: "PUBLISHED",
      publishedVersion: 1,
      hasUnpublishedChanges: true,
      instructions: "Be brief.",
    });
    expect(await versionsOf(tenant, id)).toEqual([version]);

    const restored = await call(tenant, "PATCH", `/agents/${id}`, {
      instructions: "Be kind.",
      metadata: { a: 1 },
    });
    expect(restored.body).toMatchObject({ hasUnpublishedChanges: false, publishedVersion: 1 });
  });

  test("publishing an unchanged agent creates no version and no event", async () => {
    const tenant = await newTenant();
    const { id } = await newAgent(tenant);
    const first = await publish(tenant, id);
    expect(await publish(tenant, id)).toEqual(first);
    expect(await versionsOf(tenant, id)).toHaveLength(1);
    expect(await eventsOf(tenant, "agent.published")).toHaveLength(1);
  });

  test("versions are numbered without gaps under concurrent patches and publications, and each is one complete draft", async () => {
    const tenant = await newTenant();
    const { id } = await newAgent(tenant);
    const rounds = Array.from({ length: 8 }, (_, index) => `round ${index}`);

    await Promise.all(
      rounds.flatMap((text) => [
        call(tenant, "PATCH", `/agents/${id}`, { instructions: text, greeting: text }),
        publish(tenant, id),
      ]),
    );
    await publish(tenant, id);

    const versions = await versionsOf(tenant, id);
    expect(versions.map(({ version }) => version)).toEqual(
      versions.map((_, index) => versions.length - index),
    );
    for (const { content } of versions) expect(content.greeting).toBe(content.instructions);
    const agent = await get(tenant, id);
    expect(agent).toMatchObject({
      publishedVersion: versions.length,
      hasUnpublishedChanges: false,
    });
    expect(versions[0]?.content.instructions).toBe(agent.instructions);
    expect(await eventsOf(tenant, "agent.published")).toHaveLength(versions.length);
  });
});

describe("rolling back", () => {
  test("an earlier version becomes the draft and a new version, and the history stays", async () => {
    const tenant = await newTenant();
    const { id } = await newAgent(tenant, { instructions: "one", metadata: { a: 1 } });
    await publish(tenant, id);
    await call(tenant, "PATCH", `/agents/${id}`, {
      instructions: "two",
      metadata: { a: null, b: 2 },
    });
    await publish(tenant, id);
    await call(tenant, "PATCH", `/agents/${id}`, { instructions: "never published" });

    const rolledBack = await rollBack(tenant, id, 1);

    const draft = { instructions: "one", metadata: { a: 1 } };
    expect(rolledBack).toMatchObject({
      ...draft,
      publishedVersion: 3,
      hasUnpublishedChanges: false,
      status: "PUBLISHED",
    });
    expect(await get(tenant, id)).toEqual(rolledBack);
    const contents = (await versionsOf(tenant, id)).map(({ version, content }) => [
      version,
      content.instructions,
    ]);
    expect(contents).toEqual([
      [3, "one"],
      [2, "two"],
      [1, "one"],
    ]);
    expect(await eventsOf(tenant, "agent.published")).toHaveLength(3);
    expect((await versionsOf(tenant, id)).map(({ restoredVersion }) => restoredVersion)).toEqual([
      1,
      null,
      null,
    ]);
    expect((await auditOf(tenant, id)).at(-1)).toBe("agent.rolled_back");
  });

  test("rolling back to the published version changes nothing, except that it drops unpublished changes", async () => {
    const tenant = await newTenant();
    const { id } = await newAgent(tenant, { instructions: "one" });
    const published = await publish(tenant, id);
    expect(await rollBack(tenant, id, 1)).toEqual(published);
    await call(tenant, "PATCH", `/agents/${id}`, { instructions: "two" });
    expect(await rollBack(tenant, id, 1)).toMatchObject({
      instructions: "one",
      publishedVersion: 2,
      hasUnpublishedChanges: false,
    });
  });

  test("not-found for a version that the agent does not have", async () => {
    const tenant = await newTenant();
    const [first, second] = [await newAgent(tenant), await newAgent(tenant)];
    await publish(tenant, first.id);
    await expect(rollBack(tenant, second.id, 1)).rejects.toMatchObject({ kind: "not-found" });
    expect(await get(tenant, second.id)).toEqual(second);
  });
});

describe("decisions based on a draft that was shown", () => {
  test("conflict for saving, publishing or rolling back when the draft has changed since it was shown, and nothing is written", async () => {
    const tenant = await newTenant();
    const { id } = await newAgent(tenant, { instructions: "one" });
    const seen = { draft: (await publish(tenant, id)).updatedAt };
    const { body: changed } = await call(tenant, "PATCH", `/agents/${id}`, { instructions: "two" });
    expect(changed.updatedAt > seen.draft).toBe(true);

    const refused = {
      kind: "conflict",
      members: { errors: [{ pointer: "/updatedAt", code: "changed" }] },
    };
    const decide = (work: Parameters<typeof mutate>[1]) =>
      expect(mutate(asPerson(tenant), work)).rejects.toMatchObject(refused);
    await decide((caller) => updateAgent(caller, id, { greeting: "Hello!" }, seen));
    await decide((caller) => publishAgent(caller, id, seen));
    await decide((caller) => rollBackAgent(caller, id, 1, seen));

    expect(await get(tenant, id)).toEqual(changed);
    expect(await versionsOf(tenant, id)).toHaveLength(1);
    expect(await eventsOf(tenant, "agent.updated")).toHaveLength(1);
  });

  test("an unchanged draft is saved, published and rolled back", async () => {
    const tenant = await newTenant();
    const { id, updatedAt } = await newAgent(tenant, { instructions: "one" });
    const saved = await mutate(asPerson(tenant), (caller) =>
      updateAgent(caller, id, { instructions: "two" }, { draft: updatedAt }),
    );
    const published = await mutate(asPerson(tenant), (caller) =>
      publishAgent(caller, id, { draft: saved.updatedAt }),
    );
    expect(published).toMatchObject({ instructions: "two", publishedVersion: 1 });
    const rolledBack = await mutate(asPerson(tenant), (caller) =>
      rollBackAgent(caller, id, 1, { draft: published.updatedAt }),
    );
    expect(rolledBack).toEqual(published);
  });

  test("of 20 users who saw the same draft, one can save, and no two drafts have the same time", async () => {
    const tenant = await newTenant();
    const { id, updatedAt } = await newAgent(tenant);
    const save = (greeting: string) =>
      mutate(asPerson(tenant), (caller) =>
        updateAgent(caller, id, { greeting }, { draft: updatedAt }),
      ).catch(() => null);
    const saved = await Promise.all(Array.from({ length: 20 }, (_, index) => save(`${index}`)));
    expect(saved.filter((agent) => agent !== null)).toEqual([await get(tenant, id)]);

    const patches = Array.from({ length: 20 }, (_, index) =>
      call(tenant, "PATCH", `/agents/${id}`, { greeting: `patch ${index}` }),
    );
    const times = (await Promise.all(patches)).map(({ body }) => body.updatedAt);
    expect(new Set(times).size).toBe(20);
  });

  test("the dashboard's list filters by status, and versions come in pages", async () => {
    const tenant = await newTenant();
    const agents = [await newAgent(tenant), await newAgent(tenant), await newAgent(tenant)];
    for (let round = 1; round <= 5; round++) {
      await call(tenant, "PATCH", `/agents/${agents[0].id}`, { greeting: `round ${round}` });
      await publish(tenant, agents[0].id);
    }
    await archive(tenant, agents[1].id);

    const list = (status: "DRAFT" | "PUBLISHED" | "ARCHIVED") =>
      listAgents(reader(tenant.identity), { status, limit: 20, order: "desc" }).then(({ data }) =>
        data.map(({ id }) => id),
      );
    expect([await list("PUBLISHED"), await list("ARCHIVED"), await list("DRAFT")]).toEqual(
      agents.map(({ id }) => [id]),
    );

    const first = await listAgentVersions(reader(tenant.identity), agents[0].id, { limit: 3 });
    expect(first).toMatchObject({
      data: [{ version: 5 }, { version: 4 }, { version: 3 }],
      nextCursor: "3",
    });
    const second = await listAgentVersions(reader(tenant.identity), agents[0].id, {
      limit: 3,
      cursor: Number(first.nextCursor),
    });
    expect(second.data.map(({ version }) => version)).toEqual([2, 1]);
    expect(second).not.toHaveProperty("nextCursor");
  });
});

describe("archiving", () => {
  test("409 agent-archived for patching, publishing and rolling back, while reading still works", async () => {
    const tenant = await newTenant();
    const { id } = await newAgent(tenant);
    await publish(tenant, id);

    const archived = await archive(tenant, id);

    expect(archived).toMatchObject({ status: "ARCHIVED", publishedVersion: 1 });
    expect(await archive(tenant, id)).toEqual(archived);
    for (const body of [{ name: "x" }, {}]) {
      const reply = await call(tenant, "PATCH", `/agents/${id}`, body);
      expect(reply).toMatchObject({
        status: 409,
        body: { type: expect.stringMatching(/agent-archived$/) },
      });
    }
    await expect(publish(tenant, id)).rejects.toMatchObject({ kind: "agent-archived" });
    await expect(rollBack(tenant, id, 1)).rejects.toMatchObject({ kind: "agent-archived" });
    expect(await get(tenant, id)).toEqual(archived);
    expect(await versionsOf(tenant, id)).toHaveLength(1);
    const events = await eventsOf(tenant, "agent.updated");
    expect(events).toMatchObject([
      { data: { object: archived, previousAttributes: { status: "PUBLISHED" } } },
    ]);
    expect(await auditOf(tenant, id)).toEqual([
      "agent.created",
      "agent.published",
      "agent.archived",
    ]);
  });

  test("409 agent-archived is replayed for the same idempotency key", async () => {
    const tenant = await newTenant();
    const { id } = await newAgent(tenant);
    await archive(tenant, id);
    const patch = () =>
      call(tenant, "PATCH", `/agents/${id}`, { name: "x" }, { "idempotency-key": "one" });
    const first = await patch();
    const second = await patch();
    expect([first.status, second.status, second.text]).toEqual([409, 409, first.text]);
    expect(second.headers.get("idempotent-replayed")).toBe("true");
  });
});
