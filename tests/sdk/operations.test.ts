import { expect, test } from "vitest";
import { publishedDocument } from "@/lib/api/openapi";
import type { Operations } from "@/sdk/src/generated/types";
import { Parlance } from "@/sdk/src/index";

/** Each operation of the API and the client's method for it. The compiler asks for one that is missing. */
const methods: Record<keyof Operations, (client: Parlance) => Promise<unknown>> = {
  listConversations: ({ conversations }) => conversations.list(),
  createConversation: ({ conversations }) => conversations.create({ channelId: "web" }),
  getConversation: ({ conversations }) => conversations.get("conversationId"),
  updateConversation: ({ conversations }) => conversations.update("conversationId", {}),
  listMessages: ({ conversations }) => conversations.messages.list("conversationId"),
  postMessage: ({ conversations }) => conversations.messages.create("conversationId", { text: "Hello" }),
  getMessage: ({ conversations }) => conversations.messages.get("conversationId", "messageId"),
  listCustomers: ({ customers }) => customers.list(),
  createCustomer: ({ customers }) => customers.create({}),
  getCustomer: ({ customers }) => customers.get("customerId"),
  updateCustomer: ({ customers }) => customers.update("customerId", {}),
  listAgents: ({ agents }) => agents.list(),
  createAgent: ({ agents }) => agents.create({ name: "Agent" }),
  getAgent: ({ agents }) => agents.get("agentId"),
  updateAgent: ({ agents }) => agents.update("agentId", {}),
  listWebhooks: ({ webhooks }) => webhooks.list(),
  createWebhook: ({ webhooks }) => webhooks.create({ url: "https://example.com", events: ["*"] }),
  getWebhook: ({ webhooks }) => webhooks.get("webhookId"),
  updateWebhook: ({ webhooks }) => webhooks.update("webhookId", {}),
  deleteWebhook: ({ webhooks }) => webhooks.delete("webhookId"),
  listEvents: ({ events }) => events.list(),
  getAccount: ({ account }) => account.get(),
};

const documented = Object.entries(publishedDocument().paths).flatMap(([path, operations]) =>
  Object.entries(operations).map(([method, { operationId, requestBody }]) => ({
    operationId,
    // As the placeholders' own names stand in for ids.
    request: `${method.toUpperCase()} ${path.replaceAll(/[{}]/g, "")}`,
    mediaTypes: Object.keys(requestBody?.content ?? {}),
  })),
);

function recordingClient() {
  const requests: Request[] = [];
  const fetch = async (url: RequestInfo | URL, init?: RequestInit) => {
    requests.push(new Request(url, init));
    return Response.json({ data: [] });
  };
  return { client: new Parlance("prl_test_abc", { fetch }), requests };
}

test("every operation of the document has a method, and no method is of another operation", () => {
  expect(Object.keys(methods).sort()).toEqual(documented.map(({ operationId }) => operationId).sort());
  expect(functionsIn(recordingClient().client)).toHaveLength(documented.length);
});

test.each(documented)("$operationId sends $request", async ({ operationId, request, mediaTypes }) => {
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

function functionsIn(value: object): unknown[] {
  return Object.values(value).flatMap((part) => {
    if (typeof part === "function") return [part];
    return typeof part === "object" && part !== null ? functionsIn(part) : [];
  });
}
