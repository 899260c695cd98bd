import { expect, expectTypeOf, test } from "vitest";
import { publishedDocument } from "@/lib/api/openapi";
import type { Operations } from "@/sdk/src/generated/types";
import { type Conversation, type Page, Parlance, type WebhookEvent } from "@/sdk/src/index";

/**
 * Each operation of the API and the client's method for it. The compiler asks for one that is
 * missing.
 */
const methods: Record<keyof Operations, (client: Parlance) => Promise<unknown>> = {
  listConversations: ({ conversations }) => conversations.list(),
  searchConversations: ({ conversations }) => conversations.search({ q: "order" }),
  createConversation: ({ conversations }) => conversations.create({ channelId: "web" }),
  getConversation: ({ conversations }) => conversations.get("conversationId"),
  updateConversation: ({ conversations }) => conversations.update("conversationId", {}),
  listMessages: ({ conversations }) => conversations.messages.list("conversationId"),
  postMessage: ({ conversations }) =>
    conversations.messages.create("conversationId", { text: "Hello" }),
  getMessage: ({ conversations }) => conversations.messages.get("conversationId", "messageId"),
  deleteConversation: ({ conversations }) => conversations.delete("conversationId"),
  redactMessage: ({ conversations }) =>
    conversations.messages.delete("conversationId", "messageId"),
  deleteCustomer: ({ customers }) => customers.delete("customerId"),
  eraseCustomer: ({ customers }) => customers.erase("customerId"),
  getErasure: ({ erasures }) => erasures.get("erasureId"),
  deleteAgent: ({ agents }) => agents.delete("agentId"),
  deleteKnowledgeBase: ({ knowledgeBases }) => knowledgeBases.delete("knowledgeBaseId"),
  listCustomers: ({ customers }) => customers.list(),
  createCustomer: ({ customers }) => customers.create({}),
  getCustomer: ({ customers }) => customers.get("customerId"),
  updateCustomer: ({ customers }) => customers.update("customerId", {}),
  upsertCustomer: ({ customers }) => customers.upsert("externalId", {}),
  createFile: ({ files }) => files.create({ name: "order.txt", text: "1 lamp" }),
  getFile: ({ files }) => files.get("fileId"),
  listAgents: ({ agents }) => agents.list(),
  createAgent: ({ agents }) => agents.create({ name: "Agent" }),
  getAgent: ({ agents }) => agents.get("agentId"),
  listAgentVersions: ({ agents }) => agents.versions("agentId"),
  copyAgentFromTest: ({ agents }) =>
    agents.copyFromTest({ agentId: "agt_01KA5V0V7W3Y5Z8J4QX2N6M9TC" }),
  updateAgent: ({ agents }) => agents.update("agentId", {}),
  listKnowledgeBases: ({ knowledgeBases }) => knowledgeBases.list(),
  createKnowledgeBase: ({ knowledgeBases }) => knowledgeBases.create({ name: "Base" }),
  getKnowledgeBase: ({ knowledgeBases }) => knowledgeBases.get("knowledgeBaseId"),
  updateKnowledgeBase: ({ knowledgeBases }) => knowledgeBases.update("knowledgeBaseId", {}),
  searchKnowledgeBase: ({ knowledgeBases }) =>
    knowledgeBases.search("knowledgeBaseId", { q: "parcel" }),
  searchKnowledge: ({ knowledge }) =>
    knowledge.search({ q: "parcel", knowledgeBaseIds: ["kb_01KA5V0V7W3Y5Z8J4QX2N6M9TC"] }),
  listDocuments: ({ knowledgeBases }) => knowledgeBases.documents.list("knowledgeBaseId"),
  createDocument: ({ knowledgeBases }) =>
    knowledgeBases.documents.upload("knowledgeBaseId", { name: "Text", text: "Hello" }),
  getDocument: ({ knowledgeBases }) =>
    knowledgeBases.documents.get("knowledgeBaseId", "documentId"),
  updateDocument: ({ knowledgeBases }) =>
    knowledgeBases.documents.update("knowledgeBaseId", "documentId", {}),
  getDocumentFile: ({ knowledgeBases }) =>
    knowledgeBases.documents.getFile("knowledgeBaseId", "documentId"),
  replaceDocument: ({ knowledgeBases }) =>
    knowledgeBases.documents.replace("knowledgeBaseId", "documentId", {
      name: "Text",
      text: "Hello",
    }),
  retryDocument: ({ knowledgeBases }) =>
    knowledgeBases.documents.retry("knowledgeBaseId", "documentId"),
  deleteDocument: ({ knowledgeBases }) =>
    knowledgeBases.documents.delete("knowledgeBaseId", "documentId"),
  listWebhooks: ({ webhooks }) => webhooks.list(),
  createWebhook: ({ webhooks }) => webhooks.create({ url: "https://example.com", events: ["*"] }),
  getWebhook: ({ webhooks }) => webhooks.get("webhookId"),
  updateWebhook: ({ webhooks }) => webhooks.update("webhookId", {}),
  deleteWebhook: ({ webhooks }) => webhooks.delete("webhookId"),
  rotateWebhookSecret: ({ webhooks }) => webhooks.rotateSecret("webhookId"),
  testWebhook: ({ webhooks }) => webhooks.test("webhookId"),
  recoverWebhookDeliveries: ({ webhooks }) => webhooks.recover("webhookId", { since: new Date() }),
  replayWebhook: ({ webhooks }) => webhooks.replay("webhookId", { since: new Date() }),
  listWebhookDeliveries: ({ webhooks }) => webhooks.deliveries.list("webhookId"),
  getWebhookDelivery: ({ webhooks }) => webhooks.deliveries.get("webhookId", "deliveryId"),
  resendWebhookDelivery: ({ webhooks }) => webhooks.deliveries.resend("webhookId", "deliveryId"),
  listEvents: ({ events }) => events.list(),
  streamEvents: ({ events }) => events.stream().next(),
  getEvent: ({ events }) => events.get("eventId"),
  listEventTypes: ({ events }) => events.types(),
  listMembers: ({ members }) => members.list(),
  listRequestLogs: ({ requestLogs }) => requestLogs.list(),
  getRequestLog: ({ requestLogs }) => requestLogs.get("requestId"),
  getUsage: ({ usage }) => usage.get(),
  getAccount: ({ account }) => account.get(),
};

const documented = Object.entries(publishedDocument().paths).flatMap(([path, operations]) =>
  Object.entries(operations).map(([method, { operationId, requestBody }]) => ({
    operationId,
    // The names of the placeholders are used as ids.
    request: `${method.toUpperCase()} ${path.replaceAll(/[{}]/g, "")}`,
    mediaTypes: Object.keys(requestBody?.content ?? {}),
  })),
);

function recordingClient() {
  const requests: Request[] = [];
  const fetch = async (url: RequestInfo | URL, init?: RequestInit) => {
    requests.push(new Request(url, init));
    if (String(url).endsWith("/stream"))
      return new Response("data: {}\n\n", { headers: { "content-type": "text/event-stream" } });
    return Response.json({ data: [] });
  };
  return { client: new Parlance("prl_test_abc", { fetch }), requests };
}

test("every operation of the document has a method, and no method is of another operation", () => {
  expect(Object.keys(methods).sort()).toEqual(
    documented.map(({ operationId }) => operationId).sort(),
  );
  expect(functionsIn(recordingClient().client)).toHaveLength(documented.length);
});

test.each(documented)(
  "$operationId sends $request",
  async ({ operationId, request, mediaTypes }) => {
    const { client, requests } = recordingClient();
    await methods[operationId as keyof Operations](client);

    const [sent] = requests;
    expect(requests).toHaveLength(1);
    expect(`${sent?.method} ${new URL(sent?.url ?? "").pathname}`).toBe(request);
    expect(sent?.headers.get("authorization")).toBe("Bearer prl_test_abc");
    expect(sent?.headers.has("idempotency-key")).toBe(sent?.method !== "GET");
    const mediaType = sent?.headers.get("content-type")?.split(";")[0];
    if (mediaTypes.length > 0) expect(mediaTypes).toContain(mediaType);
    else expect(mediaType).toBeUndefined();
  },
);

test("the compiler knows what each call returns", () => {
  const { conversations, webhooks, knowledgeBases, events } = recordingClient().client;
  expectTypeOf(conversations.list).returns.resolves.toEqualTypeOf<Page<Conversation>>();
  expectTypeOf(conversations.list).returns.toExtend<AsyncIterable<Conversation>>();
  expectTypeOf(conversations.create).returns.resolves.toEqualTypeOf<Conversation>();
  expectTypeOf(webhooks.rotateSecret)
    .returns.resolves.toHaveProperty("secret")
    .toEqualTypeOf<string>();
  expectTypeOf(knowledgeBases.search).parameter(1).toExtend<{ q: string }>();
  expectTypeOf(events.get).returns.resolves.toEqualTypeOf<WebhookEvent>();
  type Body = Parameters<typeof conversations.create>[0];
  // @ts-expect-error: a field that the API does not take
  const misspelt: Body = { channelId: "web", chanelId: "web" };
  expect(misspelt).toHaveProperty("chanelId");
});

test("a query is sent as the API reads it: lists with commas, dates as RFC 3339, nothing for undefined", async () => {
  const { client, requests } = recordingClient();
  await client.conversations.list({
    status: ["OPEN", "PENDING"],
    tag: "a&b=c d",
    updatedSince: new Date(Date.UTC(2026, 0, 31)),
    customerId: undefined,
    limit: 5,
  });
  expect(Object.fromEntries(new URL(requests[0]?.url ?? "").searchParams)).toEqual({
    status: "OPEN,PENDING",
    tag: "a&b=c d",
    updatedSince: "2026-01-31T00:00:00.000Z",
    limit: "5",
  });
});

test("a file is sent as a form with its name and metadata, and a Blob under the given name", async () => {
  const { client, requests } = recordingClient();
  const file = new File(["Hello"], "Grüße.txt", { type: "text/plain" });
  await client.knowledgeBases.documents.upload("kb_1", { file, metadata: { source: "crm" } });
  await client.knowledgeBases.documents.upload("kb_1", {
    file: new TextEncoder().encode("Hello"),
    name: "Greetings",
  });

  const [named, unnamed] = await Promise.all(requests.map((request) => request.formData()));
  expect(Object.fromEntries(named ?? [])).toMatchObject({
    name: "Grüße.txt",
    metadata: '{"source":"crm"}',
    file: { size: 5 },
  });
  expect(Object.fromEntries(unnamed ?? [])).toMatchObject({
    name: "Greetings",
    file: { name: "Greetings", size: 5 },
  });
});

function functionsIn(value: object): unknown[] {
  return Object.values(value).flatMap((part) => {
    if (typeof part === "function") return [part];
    return typeof part === "object" && part !== null ? functionsIn(part) : [];
  });
}
