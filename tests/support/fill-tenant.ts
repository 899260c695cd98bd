import { publishAgent } from "@/lib/agents/versions";
import { processDocument } from "@/lib/knowledge/documents/process-document";
import { mutate } from "@/lib/platform/caller";
import { db } from "@/lib/platform/db";
import { flushRequestLogs } from "@/lib/request-logs/request-log-buffer";
import { flushRequestCounts } from "@/lib/usage/count-requests";
import { call, type TestTenant } from "./api";
import { searchFindsAll } from "./search";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Something in every table of a tenant's environment. */
export async function fillTenant(tenant: TestTenant) {
  await call(tenant, "POST", "/webhooks", { url: "http://127.0.0.1:9/hook", events: ["*"] });
  const { body: customer } = await call(
    tenant,
    "POST",
    "/customers",
    { name: "Ada", metadata: { plan: "gold" } },
    { "idempotency-key": "first" },
  );
  const { body: agent } = await call(tenant, "POST", "/agents", { name: "Helper" });
  await mutate(tenant.identity, (caller) => publishAgent(caller, agent.id));
  const ids = [];
  for (let count = 0; count < 3; count++) {
    const { body } = await call(tenant, "POST", "/conversations", {
      channelId: "web",
      message: "Hello",
      customerId: customer.id,
      agentId: agent.id,
      metadata: { plan: "gold" },
    });
    const upload = { name: "a.txt", text: "More" };
    const { body: file } = await call(tenant, "POST", "/files", upload);
    await call(tenant, "POST", "/files", upload);
    const attachments = [file.id];
    await call(tenant, "POST", `/conversations/${body.id}/messages`, { text: "More", attachments });
    ids.push(body.id);
  }
  const { body: base } = await call(tenant, "POST", "/knowledge-bases", { name: "Manual" });
  const { body: document } = await call(tenant, "POST", `/knowledge-bases/${base.id}/documents`, {
    name: "a.txt",
    text: "Some words to find",
  });
  await processDocument({ ...tenant.identity.partition, id: document.id });
  const delivery = await db().delivery.findFirstOrThrow({ where: tenant.identity.partition });
  const attempt = {
    ...tenant.identity.partition,
    deliveryId: delivery.id,
    number: 1,
    startedAt: new Date(),
    durationMs: 1,
  };
  await db().deliveryAttempt.create({ data: attempt });
  await searchFindsAll();
  await flushRequestLogs();
  await flushRequestCounts();
  await countEarlier(tenant, delivery.webhookId);
  return { customer, agent, conversationIds: ids };
}

/**
 * What was counted in earlier hours and on earlier days, more than one batch of each, and in the
 * one that is not over.
 */
async function countEarlier({ identity, keyId }: TestTenant, webhookId: string) {
  const { partition } = identity;
  const now = Date.now();
  const hours = Array.from(
    { length: 10 },
    (_, ago) => new Date(Math.floor(now / hourMs - ago) * hourMs),
  );
  const days = Array.from(
    { length: 10 },
    (_, ago) => new Date(Math.floor(now / dayMs - ago) * dayMs),
  );
  const skipDuplicates = true;
  await db().requestHour.createMany({
    data: hours.map((hour) => ({ ...partition, hour, apiKeyId: keyId, succeeded: 5 })),
    skipDuplicates,
  });
  await db().webhookHour.createMany({
    data: hours.map((hour) => ({ ...partition, hour, webhookId, attempts: 5 })),
    skipDuplicates,
  });
  await db().usageDay.createMany({
    data: days.map((day) => ({ ...partition, day, apiKeyId: keyId, apiRequests: 5 })),
    skipDuplicates,
  });
  await db().deliveryDay.createMany({
    data: days.map((day) => ({ ...partition, day, attempts: 5 })),
    skipDuplicates,
  });
  const conversations = { conversationsCreated: 5, messagesReceived: 5, messagesSent: 5 };
  await db().conversationDay.createMany({
    data: days.slice(1).map((day) => ({ ...partition, day, ...conversations })),
    skipDuplicates,
  });
}
