import { notFound, redirect } from "next/navigation";
import { dashboardPage } from "@/app/(dashboard)/dashboard-page";
import { conversationOfMessage } from "@/lib/conversations/messages";
import { webhookOfDelivery } from "@/lib/deliveries/service";
import { knowledgeBaseOfDocument } from "@/lib/knowledge/documents/service";
import type { Caller } from "@/lib/platform/caller";
import { kindOfId } from "@/lib/resources/ids";
import { type NounsWith, nouns } from "@/lib/resources/registry";

type NestedNoun = {
  [Noun in NounsWith<"dashboardPath">]: (typeof nouns)[Noun]["dashboardPath"] extends `${string}{parent}${string}`
    ? Noun
    : never;
}[NounsWith<"dashboardPath">];

const findParent: Record<NestedNoun, (caller: Caller, id: string) => Promise<string>> = {
  message: conversationOfMessage,
  document: knowledgeBaseOfDocument,
  delivery: webhookOfDelivery,
};

/** One URL for every id: the palette and links in logs use it. */
export default dashboardPage<"id">(async ({ caller, base, params: { id } }) => {
  const kind = kindOfId(id);
  const noun = kind && nouns[kind];
  if (!noun || !("dashboardPath" in noun)) notFound();
  const parent = await findParent[kind as NestedNoun]?.(caller, id);
  const path = noun.dashboardPath.replace("{parent}", parent ?? "").replace("{id}", id);
  redirect(`${base}/${path}`);
});
