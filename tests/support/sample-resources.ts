import { vi } from "vitest";
import { attemptDelivery } from "@/lib/deliveries/engine/attempt-delivery";
import { db } from "@/lib/platform/db";
import { flushRequestLogs } from "@/lib/request-logs/request-log-buffer";
import { call, newKey, type TestTenant } from "./api";

const idPattern = /\b([a-z]{2,3})_(…|[0-9A-HJKMNP-TV-Z]{26})/g;

/** Creates one resource of each kind that the commands name. Keys are the prefixes of their ids. */
export async function furnish(
  tenant: TestTenant,
  commands: string,
  receiverUrl: string,
): Promise<Record<string, string>> {
  const create = async (route: string, body: object): Promise<string> =>
    (await call(tenant, "POST", route, body)).body.id;
  const firstOf = async (route: string): Promise<string> =>
    (await call(tenant, "GET", route)).body.data[0].id;
  const ids: Record<string, string> = {};
  const ways: Record<string, () => Promise<string>> = {
    whk: () => create("/webhooks", { url: receiverUrl, events: ["*"] }),
    cus: () => create("/customers", { name: "Grace" }),
    kb: () => create("/knowledge-bases", { name: "Base" }),
    doc: async () =>
      create(`/knowledge-bases/${await id("kb")}/documents`, {
        name: "Document",
        text: "Lamps are sent back in their box.",
      }),
    agt: async () => {
      // Live keys copy an agent of test.
      const home = tenant.environment === "live" ? await newKey(tenant) : tenant;
      return (await call(home, "POST", "/agents", { name: "Agent" })).body.id;
    },
    cnv: () => create("/conversations", { channelId: "web", message: "Hello" }),
    msg: async () => firstOf(`/conversations/${await id("cnv")}/messages`),
    evt: async () => {
      await id("cnv");
      return firstOf("/events");
    },
    dlv: async () => {
      const webhookId = await id("whk");
      await create("/customers", { name: "Delivered" });
      const delivery = await db().delivery.findFirstOrThrow({ where: { webhookId } });
      await attemptDelivery({ ...tenant.identity.partition, id: delivery.id });
      return delivery.id;
    },
    req: async () => {
      const { headers } = await call(tenant, "GET", "/account");
      const requestId = headers.get("x-request-id") ?? "";
      await flushRequestLogs();
      await vi.waitUntil(() => db().requestLog.findFirst({ where: { id: requestId } }), {
        timeout: 120_000,
      });
      return requestId;
    },
    fil: () => create("/files", { name: "order.txt", text: "1 lamp" }),
    ers: async () => create(`/customers/${await create("/customers", { name: "Ada" })}/erase`, {}),
  };
  const id = async (prefix: string) =>
    (ids[prefix] ??= await (ways[prefix] as () => Promise<string>)());
  for (const [, prefix = ""] of commands.matchAll(idPattern)) if (ways[prefix]) await id(prefix);
  return ids;
}

/** The text with the ids of examples, such as `cnv_…`, replaced with those of existing resources. */
export const withIds = (text: string, ids: Record<string, string>): string =>
  text.replaceAll(idPattern, (id, prefix: string) => ids[prefix] ?? id);
