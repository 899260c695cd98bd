import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, test } from "vitest";
import { scopes } from "@/lib/api-keys/scopes";
import { reader } from "@/lib/platform/caller";
import { db } from "@/lib/platform/db";
import { flushRequestLogs } from "@/lib/request-logs/request-log-buffer";
import { listRequestLogs } from "@/lib/request-logs/service";
import { baseUrl, call, newKey, newTenant, type TestTenant } from "../support/api";
import { startReceiver } from "../support/receiver";

// The official client of the Model Context Protocol, against the running API.

type Options = { allowsChanges?: boolean };

async function connect({ key }: Pick<TestTenant, "key">, { allowsChanges = false }: Options = {}) {
  const client = new Client({ name: "tests", version: "1.0.0" });
  const url = new URL(`${baseUrl()}/mcp${allowsChanges ? "?write=true" : ""}`);
  const requestInit = { headers: { Authorization: `Bearer ${key}` } };
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
  return client;
}

// biome-ignore lint/suspicious/noExplicitAny: the tests say what a result must be.
type Result = { isError?: boolean; structuredContent?: any; _meta?: any; content: any };

const callTool = (client: Client, name: string, args: Record<string, unknown> = {}) =>
  client.callTool({ name, arguments: args }) as Promise<Result>;

const nameOf = ({ name }: { name: string }) => name;
const post = (key: string | null, body: unknown, headers: Record<string, string> = {}) =>
  fetch(`${baseUrl()}/mcp`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(key !== null && { authorization: `Bearer ${key}` }),
      ...headers,
    },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
const listTools = { jsonrpc: "2.0", id: 1, method: "tools/list" };

test("an agent reads what the API would return, and the request is in the log", async () => {
  const tenant = await newTenant();
  await call(tenant, "POST", "/customers", { name: "Ada", externalId: "c-1" });
  const { body: listed } = await call(tenant, "GET", "/customers?externalId=c-1");
  const client = await connect(tenant);

  const result = await callTool(client, "listCustomers", { externalId: "c-1", limit: 5 });
  expect(result.structuredContent).toEqual(listed);
  expect(JSON.parse(result.content[0].text)).toEqual(listed);
  expect(result.isError).toBeUndefined();
  const [{ id }] = listed.data;
  const one = await callTool(client, "getCustomer", { customerId: id });
  expect(one.structuredContent.id).toBe(id);

  await flushRequestLogs();
  const logged = async () =>
    (await listRequestLogs(reader(tenant.identity), { limit: 100, order: "desc" })).data;
  const ofTool = async () =>
    (await logged()).find((row) => row.id === one._meta["parlance/requestId"]);
  await expect.poll(ofTool).toMatchObject({
    method: "GET",
    path: `/v1/public/customers/${id}`,
    status: 200,
    userAgent: expect.stringMatching(/^MCP /),
    apiKeyId: tenant.keyId,
  });
  await client.close();
});

test("a connection is read-only unless it asks for changes", async () => {
  const tenant = await newTenant();
  const readOnly = await connect(tenant);
  const { tools } = await readOnly.listTools();
  expect(tools.every(({ annotations }) => annotations?.readOnlyHint)).toBe(true);
  expect(tools.map(nameOf)).toContain("searchKnowledge");
  expect(tools.map(nameOf)).not.toContain("streamEvents");
  await expect(callTool(readOnly, "createCustomer", { name: "Ada" })).rejects.toThrow(
    "Connect to /mcp?write=true to allow changes",
  );
  await expect(callTool(readOnly, "dropTables")).rejects.toThrow("There is no tool dropTables.");

  const writing = await connect(tenant, { allowsChanges: true });
  const all = (await writing.listTools()).tools;
  expect(all.length).toBeGreaterThan(tools.length);
  expect(all.find(({ name }) => name === "deleteCustomer")?.annotations).toMatchObject({
    readOnlyHint: false,
    destructiveHint: true,
  });
  for (const { inputSchema } of all) {
    expect(inputSchema.type).toBe("object");
    expect(JSON.stringify(inputSchema)).not.toContain("$ref");
  }
  const created = await callTool(writing, "createCustomer", { name: "Ada" });
  expect(created._meta["parlance/status"]).toBe(201);
  const { id } = created.structuredContent;
  const updated = await callTool(writing, "updateCustomer", {
    customerId: id,
    name: null,
    email: "ada@example.com",
    metadata: { plan: "gold" },
  });
  expect(updated.structuredContent).toMatchObject({ name: null, metadata: { plan: "gold" } });
  const stale = await callTool(writing, "updateCustomer", {
    customerId: id,
    name: "Ada",
    ifMatch: '"another"',
  });
  expect(stale.structuredContent.status).toBe(412);
  await Promise.all([readOnly.close(), writing.close()]);
});

test("the list has only the tools that the key's scopes allow, and others are refused", async () => {
  const tenant = await newTenant({ scopes: ["read:customers"] });
  const client = await connect(tenant, { allowsChanges: true });
  expect((await client.listTools()).tools.map(nameOf).sort()).toEqual([
    "getCustomer",
    "getErasure",
    "listCustomers",
  ]);
  const refused = await callTool(client, "createCustomer", { name: "Ada" });
  expect(refused).toMatchObject({
    isError: true,
    structuredContent: { status: 403, requiredScope: "write:customers" },
  });
  await client.close();
});

test("a key of another organization or environment sees nothing", async () => {
  const [owner, stranger] = await Promise.all([newTenant(), newTenant()]);
  const live = await newKey(owner, { environment: "live" });
  const { body: customer } = await call(owner, "POST", "/customers", { name: "Ada" });
  for (const other of [stranger, live]) {
    const client = await connect(other, { allowsChanges: true });
    const found = await callTool(client, "listCustomers");
    expect(found.structuredContent.data).toEqual([]);
    for (const [name, args] of [
      ["getCustomer", {}],
      ["updateCustomer", { name: "Eve" }],
      ["deleteCustomer", {}],
    ] as const) {
      const hidden = await callTool(client, name, { customerId: customer.id, ...args });
      expect(hidden).toMatchObject({ isError: true, structuredContent: { status: 404 } });
    }
    await client.close();
  }
  expect((await call(owner, "GET", `/customers/${customer.id}`)).body.name).toBe("Ada");
});

test("arguments nested more than 32 levels deep are invalid, however deep", async () => {
  const { key } = await newTenant();
  const respondTo = async (args: string) => {
    const params = `{"name":"listCustomers","arguments":${args}}`;
    const message = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`;
    return (await (await post(key, message)).text()).replace(/^[^{]*/, "");
  };
  const nested = (depth: number) => `{"q":${"[".repeat(depth)}${"]".repeat(depth)}}`;
  // The arguments themselves are the first level.
  expect(JSON.parse(await respondTo(nested(31)))).toHaveProperty("result");
  for (const depth of [32, 2_000, 100_000])
    expect(JSON.parse(await respondTo(nested(depth)))).toEqual({
      jsonrpc: "2.0",
      id: 1,
      error: {
        code: -32602,
        message: "The arguments of listCustomers must be nested at most 32 levels deep.",
      },
    });
});

test("the same idempotencyKey makes one change", async () => {
  const tenant = await newTenant();
  const client = await connect(tenant, { allowsChanges: true });
  const create = (name: string) =>
    callTool(client, "createCustomer", { name, idempotencyKey: "one" });
  const [first, second] = await Promise.all([create("Ada"), create("Ada")]);
  expect(second.structuredContent).toEqual(first.structuredContent);
  const replays = [first, second].filter(({ _meta }) => _meta["parlance/isReplay"]);
  expect(replays).toHaveLength(1);
  expect((await create("Eve")).structuredContent.status).toBe(422);
  expect((await call(tenant, "GET", "/customers")).body.data).toHaveLength(1);

  const refused = await callTool(client, "createCustomer", { name: "Ada", idempotencyKey: "é" });
  expect(refused.structuredContent.status).toBe(400);
  await client.close();
});

test("an argument that the operation does not know is named in the error", async () => {
  const client = await connect(await newTenant(), { allowsChanges: true });
  for (const name of ["listCustomers", "createCustomer"]) {
    const refused = await callTool(client, name, { nickname: "Ada" });
    expect(refused.structuredContent).toMatchObject({
      status: 422,
      errors: expect.arrayContaining([
        expect.objectContaining({ pointer: "/nickname", code: "unknown_field" }),
      ]),
    });
  }
  for (const customerId of ["../account", "", undefined, "x/y?z=1"]) {
    const refused = await callTool(client, "getCustomer", { customerId });
    expect([404, 422]).toContain(refused.structuredContent.status);
  }
  await client.close();
});

test("an id that is part of another path does not lead to that operation", async () => {
  const tenant = await newTenant();
  const client = await connect(tenant);
  for (const [name, args] of [
    ["getEvent", { eventId: "stream" }],
    ["getAgent", { agentId: "copy-from-test" }],
    ["getConversation", { conversationId: "search" }],
    ["getCustomer", { customerId: ".." }],
    ["getCustomer", { customerId: { toString: 1 } }],
  ] as const) {
    const refused = await callTool(client, name, args);
    expect([404, 422], name).toContain(refused.structuredContent.status);
  }
  await client.close();
});

test("a message that is refused counts against the rate limit, too", async () => {
  const tenant = await newTenant({ rateLimitPerMinute: 4 });
  const send = async (message: unknown) => (await post(tenant.key, message)).status;
  const params = { name: "listCustomers", arguments: {} };
  // Without `jsonrpc` and `id`, with arguments that are not an object, and with an invalid name.
  await send({ method: "tools/call", params });
  await send({ ...listTools, method: "tools/call", params: { ...params, arguments: "none" } });
  await send({ ...listTools, method: "tools/call", params: { name: { toString: 1 } } });
  expect(await send("{")).toBe(400);
  expect(await send({ method: "tools/call", params })).toBe(429);
});

test("messages and calls count against the rate limit of the key", async () => {
  const tenant = await newTenant({ rateLimitPerMinute: 3 });
  const first = await post(tenant.key, listTools);
  expect(first.status).toBe(200);
  expect(first.headers.get("ratelimit")).toContain(";r=2;");
  const toolCall = {
    ...listTools,
    method: "tools/call",
    params: { name: "listCustomers", arguments: {} },
  };
  expect(await (await post(tenant.key, toolCall)).text()).toContain('"parlance/status":200');
  await call(tenant, "GET", "/customers");
  // Not even read: this body is too large.
  for (const message of [toolCall, listTools, "x".repeat(300_000)]) {
    const refused = await post(tenant.key, message);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  }
});

test.each([null, "nonsense", `prl_test_${"x".repeat(40)}`])(
  "401 with WWW-Authenticate for the key %s",
  async (key) => {
    const response = await post(key, listTools);
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toBe("Bearer");
    expect(await response.json()).toMatchObject({ status: 401, title: expect.any(String) });
    await expect(connect({ key: key ?? "none" })).rejects.toThrow();
  },
);

test("403 for a page of another site, and for a host name that was pointed at this server", async () => {
  const { key } = await newTenant();
  for (const origin of ["https://evil.example", "http://rebound.example:3000", "null"])
    expect((await post(key, listTools, { origin })).status).toBe(403);
  for (const origin of ["http://localhost:6274", "http://127.0.0.1:3000"])
    expect((await post(key, listTools, { origin })).status).toBe(200);
});

test("413, 415, 400 and 405 for what is not one message", async () => {
  const { key } = await newTenant();
  const large = { ...listTools, params: { text: "x".repeat(300_000) } };
  expect((await post(key, large)).status).toBe(413);
  const unsized = await fetch(`${baseUrl()}/mcp`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: new Blob([JSON.stringify(large)]).stream(),
    duplex: "half",
  } as RequestInit);
  expect(unsized.status).toBe(413);
  expect((await post(key, listTools, { "content-type": "text/plain" })).status).toBe(415);
  expect((await post(key, "{")).status).toBe(400);
  expect((await post(key, [listTools, listTools])).status).toBe(400);
  expect((await post(key, { ...listTools, method: "subscriptions/listen" })).status).toBe(400);
  const head = { headers: { authorization: `Bearer ${key}` } };
  const read = await fetch(`${baseUrl()}/mcp`, head);
  expect([read.status, read.headers.get("allow")]).toEqual([405, "POST"]);
});

test("every operation that a tool can express is a tool for a key with every scope", async () => {
  const client = await connect(await newTenant({ scopes }), { allowsChanges: true });
  const { tools } = await client.listTools();
  const { publishedDocument } = await import("@/lib/api/openapi");
  const operations = Object.values(publishedDocument().paths).flatMap((path) =>
    Object.values(path).map(({ operationId }) => operationId),
  );
  expect(tools.map(nameOf).sort()).toEqual(
    operations.filter((name) => name !== "streamEvents").sort(),
  );
  await client.close();
});

test("messages of an organization that was moved go to its installation, and the responses come back as they are", async () => {
  const other = await startReceiver((response) => {
    const result = JSON.stringify({ jsonrpc: "2.0", id: 1, result: { moved: true } });
    response.writeHead(200, { "content-type": "application/json" }).end(result);
  });
  const tenant = await newTenant();
  await db().tenant.update({ where: { id: tenant.tenantId }, data: { movedTo: other.url } });
  const { key } = await newKey(tenant);
  const message = {
    ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
    params: { name: "createConversation", arguments: { channelId: "web" } },
  };
  const response = await fetch(`${baseUrl()}/mcp?write=true`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      authorization: `Bearer ${key}`,
      "mcp-protocol-version": "2025-06-18",
    },
    body: JSON.stringify(message),
  });
  await other.close();
  expect([response.status, await response.json()]).toEqual([
    200,
    { jsonrpc: "2.0", id: 1, result: { moved: true } },
  ]);
  const [received, ...more] = other.requests;
  expect(more).toEqual([]);
  expect(received).toMatchObject({ method: "POST", path: "/mcp?write=true" });
  expect(JSON.parse(received?.body ?? "")).toEqual(message);
  expect(received?.headers).toMatchObject({
    authorization: `Bearer ${key}`,
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": "2025-06-18",
  });
});
