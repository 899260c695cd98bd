import { notFound, redirect } from "next/navigation";
import { pageOf } from "@/app/(dashboard)/page-of";
import { conversationOfMessage } from "@/lib/conversations/messages";
import { webhookOfDelivery } from "@/lib/deliveries/service";
import { knowledgeBaseOfDocument } from "@/lib/knowledge/documents/service";
import type { Caller } from "@/lib/platform/caller";
import { type IdKind, kindOfId } from "@/lib/resources/ids";

/**
 * Where each kind of thing is looked at; what stands inside of another thing is looked up there.
 */
const pathOf: Partial<Record<IdKind, (caller: Caller, id: string) => string | Promise<string>>> = {
  conversation: (_caller, id) => `conversations/${id}`,
  message: async (caller, id) => `conversations/${await conversationOfMessage(caller, id)}#${id}`,
  customer: (_caller, id) => `customers/${id}`,
  agent: (_caller, id) => `agents/${id}`,
  knowledgeBase: (_caller, id) => `knowledge/${id}`,
  document: async (caller, id) =>
    `knowledge/${await knowledgeBaseOfDocument(caller, id)}/documents/${id}`,
  webhook: (_caller, id) => `webhooks/${id}`,
  delivery: async (caller, id) => `webhooks/${await webhookOfDelivery(caller, id)}?delivery=${id}`,
  event: (_caller, id) => `events/${id}`,
  request: (_caller, id) => `logs/${id}`,
  apiKey: (_caller, id) => `api-keys/${id}`,
  user: () => "settings/members",
};

/** One address for every id, wherever it is shown: the palette's, and that of links in logs. */
export default pageOf<"id">(async ({ caller, base, params }) => {
  const kind = kindOfId(params.id);
  const path = kind && (await pathOf[kind]?.(caller, params.id));
  if (!path) notFound();
  redirect(`${base}/${path}`);
});
