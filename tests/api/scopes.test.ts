import { beforeAll, describe, expect, test, vi } from "vitest";
import { openApiDocument } from "@/lib/api/openapi";
import { type Scope, scopes } from "@/lib/api-keys/scopes";
import { db } from "@/lib/platform/db";
import { flushRequestLogs } from "@/lib/request-logs/request-log-buffer";
import { call, newKey, newTenant, type TestTenant } from "../support/api";

const { paths } = openApiDocument({
  serverUrl: "http://localhost:3000",
  errorBase: "http://localhost:3000/docs",
});

type Case = {
  operationId: string;
  method: string;
  path: string;
  scope: string;
  status: number;
  body: unknown;
};

const cases = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]): Case => {
    const [status] = Object.keys(operation.responses).filter((name) => name.startsWith("2"));
    return {
      operationId: operation.operationId,
      method: method.toUpperCase(),
      path: path.replace("/v1/public", ""),
      scope: operation["x-required-scope"] ?? "",
      status: Number(status),
      body: operation.requestBody?.content["application/json"]?.example,
    };
  }),
);
// Deletions come last, so that there is something to read until then, and those of a part before
// those of the whole.
const deletionRank = ({ method, path }: Case) => (method === "DELETE" ? 1_000 - path.length : 0);
cases.sort((a, b) => deletionRank(a) - deletionRank(b));

let keys: Record<Scope, TestTenant>;
let ids: Record<string, string>;

beforeAll(async () => {
  const owner = await newTenant();
  const pairs = await Promise.all(
    scopes.map(async (scope) => [scope, await newKey(owner, { scopes: [scope] })] as const),
  );
  keys = Object.fromEntries(pairs) as Record<Scope, TestTenant>;
  const made = async (path: string, body: object) =>
    (await call(owner, "POST", path, body)).body.id as string;

  const webhookId = await made("/webhooks", { url: "https://example.com/", events: ["*"] });
  const conversationId = await made("/conversations", { channelId: "web", message: "Hello" });
  const knowledgeBaseId = await made("/knowledge-bases", { name: "Scopes" });
  const { data: messages } = (await call(owner, "GET", `/conversations/${conversationId}/messages`))
    .body;
  const { data: events } = (await call(owner, "GET", "/events")).body;
  const { data: deliveries } = (await call(owner, "GET", `/webhooks/${webhookId}/deliveries`)).body;
  // Only a delivery that has ended can be sent again.
  await db().delivery.updateMany({
    where: { id: deliveries[0].id },
    data: { status: "FAILED", nextAttemptAt: null },
  });
  // Without the other scopes, a key sees only its own requests.
  const request = await call(keys["read:usage"], "GET", "/account");
  const requestId = request.headers.get("x-request-id") ?? "";
  await flushRequestLogs();
  await vi.waitUntil(() => db().requestLog.findFirst({ where: { id: requestId } }), {
    timeout: 120_000,
  });
  ids = {
    requestId,
    webhookId,
    conversationId,
    knowledgeBaseId,
    messageId: messages[0].id,
    eventId: events[0].id,
    deliveryId: deliveries[0].id,
    customerId: await made("/customers", { name: "Ada", externalId: "externalId" }),
    erasureId: await made(`/customers/${await made("/customers", { name: "Grace" })}/erase`, {}),
    fileId: await made("/files", { name: "order.txt", text: "1 lamp" }),
    agentId: await made("/agents", { name: "Concierge" }),
    documentId: await made(`/knowledge-bases/${knowledgeBaseId}/documents`, {
      name: "Returns",
      text: "Returns are free.",
    }),
  };
});

/** The examples of the document, with existing ids and unused values. */
function bodyOf({ operationId, body }: Case): unknown {
  if (operationId === "createCustomer") return { name: "Grace" };
  if (operationId === "createDocument") return { name: "Parcels", text: "Parcels take two days." };
  return (
    body &&
    JSON.parse(
      JSON.stringify(body)
        .replaceAll(/"kb_[0-9A-Z]{26}"/g, `"${ids.knowledgeBaseId}"`)
        .replaceAll(/"agt_[0-9A-Z]{26}"/g, `"${ids.agentId}"`),
    )
  );
}

const pathOf = ({ method, path, operationId }: Case) =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? name) +
  (method === "GET" && operationId.startsWith("search") ? "?q=returns" : "");

describe.each(cases)("$operationId", (one) => {
  test(`403 with any scope other than ${one.scope}, before the body is read`, async () => {
    const unreadable = one.method === "GET" ? undefined : "{ no JSON";
    for (const scope of scopes) {
      if (scope === one.scope) continue;
      const reply = await call(
        keys[scope],
        one.method,
        pathOf(one),
        unreadable,
        unreadable ? { "content-type": "text/plain" } : {},
      );
      expect([scope, reply.status, reply.body.requiredScope]).toEqual([scope, 403, one.scope]);
    }
  });

  if (["PATCH", "PUT", "DELETE"].includes(one.method)) {
    test("412 for a version that the resource does not have", async () => {
      const reply = await call(keys[one.scope as Scope], one.method, pathOf(one), bodyOf(one), {
        "if-match": '"other"',
      });
      expect([reply.status, reply.text.slice(0, 300)]).toEqual([412, expect.any(String)]);
    });
  }

  test(`${one.status} with only ${one.scope}`, async () => {
    // A stream has no end that one could wait for.
    const method = one.operationId === "streamEvents" ? "HEAD" : one.method;
    const key = keys[one.scope as Scope];
    // An agent is copied by a live key.
    const caller =
      one.operationId === "copyAgentFromTest"
        ? await newKey(key, { environment: "live", scopes: [one.scope as Scope] })
        : key;
    const reply = await call(caller, method, pathOf(one), bodyOf(one));
    expect([reply.status, reply.text.slice(0, 300)]).toEqual([one.status, expect.any(String)]);
  });
});
