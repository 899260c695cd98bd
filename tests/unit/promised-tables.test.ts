import { expect, test } from "vitest";
import { openApiDocument } from "@/lib/api/openapi";
import { scopes } from "@/lib/api-keys/scopes";
import {
  attackThreshold,
  failureLimits,
  failuresPerNetworkUnderAttack,
  maximumFailures,
  maximumProviderSignIns,
  maximumResets,
  maximumSignUps,
} from "@/lib/auth/throttle";
import { dashboardLimits } from "@/lib/auth/throttle-dashboard";
import { eventTypes } from "@/lib/events/event-types";
import { dailyMailLimits } from "@/lib/mail/daily-limits";
import { errorKinds } from "@/lib/platform/errors";
import { proofLifetimeMs } from "@/lib/step-up/proof";

// Other tests read these tables from the product. Here their contents are written down, so that a
// wrong table fails a test. What clients rely on may gain entries: names are never changed or
// removed.

const operationsByScope: Record<string, string[]> = {
  "read:conversations": [
    "listConversations",
    "searchConversations",
    "getConversation",
    "listMessages",
    "getMessage",
    "getFile",
    "listMembers",
  ],
  "write:conversations": [
    "createConversation",
    "updateConversation",
    "deleteConversation",
    "postMessage",
    "redactMessage",
    "createFile",
  ],
  "read:customers": ["listCustomers", "getCustomer", "getErasure"],
  "write:customers": [
    "createCustomer",
    "updateCustomer",
    "upsertCustomer",
    "deleteCustomer",
    "eraseCustomer",
  ],
  "read:agents": ["listAgents", "getAgent"],
  "write:agents": ["createAgent", "updateAgent", "deleteAgent"],
  "read:knowledge": [
    "listKnowledgeBases",
    "getKnowledgeBase",
    "listDocuments",
    "getDocument",
    "searchKnowledgeBase",
    "searchKnowledge",
  ],
  "write:knowledge": [
    "createKnowledgeBase",
    "deleteKnowledgeBase",
    "createDocument",
    "deleteDocument",
  ],
  "read:webhooks": [
    "listWebhooks",
    "getWebhook",
    "listWebhookDeliveries",
    "getWebhookDelivery",
    "listEvents",
    "getEvent",
    "streamEvents",
    "listEventTypes",
  ],
  "write:webhooks": [
    "createWebhook",
    "updateWebhook",
    "deleteWebhook",
    "rotateWebhookSecret",
    "testWebhook",
    "resendWebhookDelivery",
    "recoverWebhookDeliveries",
    "replayWebhook",
  ],
  "read:usage": ["getUsage", "getAccount", "listRequestLogs", "getRequestLog"],
};

test("the eleven scopes keep their names and open the same operations", () => {
  const { paths } = openApiDocument({
    serverUrl: "http://localhost:3000",
    errorBase: "http://localhost:3000/docs",
  });
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const scopeOf = Object.fromEntries(
    operations.map((operation) => [operation.operationId, operation["x-required-scope"]]),
  );
  for (const [scope, names] of Object.entries(operationsByScope)) {
    expect(scopes).toContain(scope);
    for (const name of names) expect([name, scopeOf[name]]).toEqual([name, scope]);
  }
});

test("the event types keep their names", () => {
  expect(eventTypes).toEqual(
    expect.arrayContaining([
      "conversation.created",
      "conversation.updated",
      "conversation.status_changed",
      "conversation.deleted",
      "message.received",
      "message.sent",
      "message.redacted",
      "customer.created",
      "customer.updated",
      "customer.deleted",
      "customer.erased",
      "agent.created",
      "agent.updated",
      "agent.published",
      "agent.deleted",
      "knowledge_base.created",
      "knowledge_base.updated",
      "knowledge_base.deleted",
      "document.created",
      "document.updated",
      "document.ready",
      "document.failed",
      "document.deleted",
      "webhook.disabled",
      "webhook.test",
    ]),
  );
});

test("every kind of error keeps its status", () => {
  expect(
    Object.fromEntries(Object.entries(errorKinds).map(([kind, { status }]) => [kind, status])),
  ).toEqual({
    "malformed-request": 400,
    "invalid-idempotency-key": 400,
    unauthorized: 401,
    "insufficient-scope": 403,
    "ip-not-allowed": 403,
    "invalid-link": 403,
    "not-found": 404,
    "method-not-allowed": 405,
    "request-timeout": 408,
    conflict: 409,
    "idempotency-in-progress": 409,
    "invalid-transition": 409,
    "conversation-closed": 409,
    "agent-archived": 409,
    "rotation-in-progress": 409,
    "limit-reached": 409,
    "in-use": 409,
    gone: 410,
    "precondition-failed": 412,
    "payload-too-large": 413,
    "unsupported-media-type": 415,
    "expectation-failed": 417,
    validation: 422,
    "invalid-cursor": 422,
    "idempotency-key-reused": 422,
    "rate-limited": 429,
    internal: 500,
    unavailable: 503,
  });
});

test("the limits on guesses, requests, mails and proofs have their documented values", () => {
  const minuteMs = 60_000;
  expect(failureLimits).toEqual([
    { limit: 5, windowMs: minuteMs },
    { limit: 10, windowMs: 15 * minuteMs },
    { limit: 20, windowMs: 240 * minuteMs },
  ]);
  expect({
    attackThreshold,
    failuresPerNetworkUnderAttack,
    maximumFailures,
    maximumProviderSignIns,
    maximumSignUps,
    maximumResets,
    dashboardLimits,
    dailyMailLimits,
    proofLifetimeMs,
  }).toEqual({
    attackThreshold: 100,
    failuresPerNetworkUnderAttack: 3,
    maximumFailures: 50,
    maximumProviderSignIns: 50,
    maximumSignUps: 50,
    maximumResets: { account: 5, network: 50 },
    dashboardLimits: { user: 240, tenant: 1_200 },
    dailyMailLimits: { recipient: 5, tenant: 100, sender: 50 },
    proofLifetimeMs: 10 * minuteMs,
  });
});
