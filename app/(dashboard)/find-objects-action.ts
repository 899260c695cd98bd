"use server";

import { z } from "zod";
import { type ActionPlace, parse, query } from "@/app/(dashboard)/run-action";
import type { FoundObject } from "@/components/shell/find-objects";
import { newestAgentNames } from "@/lib/agents/service";
import { listApiKeysQuery } from "@/lib/api-keys/schema";
import { listApiKeys } from "@/lib/api-keys/service";
import { searchInbox } from "@/lib/conversations/search";
import { searchInboxQuery } from "@/lib/conversations/search-schema";
import { displayName } from "@/lib/customers/display-name";
import { findCustomers } from "@/lib/customers/service";
import type { ActionResult } from "@/lib/platform/action-result";
import type { Caller } from "@/lib/platform/caller";
import { readFromReplica } from "@/lib/platform/replica";
import { listWebhooks } from "@/lib/webhooks/service";

const mostOfEach = 4;
/** For nouns without a search, the newest ones are filtered here. Most environments have fewer. */
const mostListed = 100;

const findQuery = z.strictObject({ q: z.string().trim().min(2).max(200) });

/** Finds objects of this environment by their names, URLs and other text. */
export async function findObjectsAction(
  place: ActionPlace,
  q: string,
): Promise<ActionResult<FoundObject[]>> {
  return query(place, findQuery, { q }, async (caller, input) => {
    const found = await Promise.all(finders.map((find) => find(caller, input.q)));
    return found.flatMap((objects) => objects.slice(0, mostOfEach));
  });
}

const newest = { limit: mostListed, order: "desc" } as const;

const finders: ((caller: Caller, q: string) => Promise<FoundObject[]>)[] = [
  async (caller, q) => {
    const { data } = await findCustomers(caller, { q });
    return data.map((customer) => ({
      id: customer.id,
      kind: "Customer",
      name: displayName(customer),
      detail: [customer.email, customer.phone, customer.externalId].filter(Boolean).join(" · "),
      path: `customers/${customer.id}`,
    }));
  },
  async (caller, q) => {
    const { data } = await readFromReplica(caller, (reader) =>
      searchInbox(reader, parse(searchInboxQuery, { q }, "query")),
    );
    return data.map(({ conversation: { id, subject, lastMessagePreview } }) => ({
      id,
      kind: "Conversation",
      name: subject ?? lastMessagePreview ?? id,
      detail: subject ? (lastMessagePreview ?? "") : "",
      path: `conversations/${id}?status=all`,
    }));
  },
  async (caller, q) => {
    const { data } = await listWebhooks(caller, newest);
    return data.filter(containing(q, ["url", "description"])).map(({ id, url, description }) => ({
      ...{ id, kind: "Webhook", name: url, detail: description ?? "" },
      path: `webhooks/${id}`,
    }));
  },
  async (caller, q) => {
    const agents = await newestAgentNames(caller, mostListed);
    return agents
      .filter(containing(q, ["name", "description"]))
      .map(({ id, name, description }) => ({
        ...{ id, kind: "Agent", name, detail: description ?? "" },
        path: `agents/${id}`,
      }));
  },
  async (caller, q) => {
    const { data } = await listApiKeys(caller, {
      ...parse(listApiKeysQuery, {}, "query"),
      ...newest,
    });
    return data.filter(containing(q, ["name", "hint"])).map(({ id, name, hint }) => ({
      ...{ id, kind: "API key", name, detail: hint },
      path: `api-keys/${id}`,
    }));
  },
];

function containing<Name extends string>(q: string, fields: Name[]) {
  const wanted = q.toLowerCase();
  return (object: Record<Name, string | null>) =>
    fields.some((field) => object[field]?.toLowerCase().includes(wanted));
}
