import { beforeAll, describe, expect, test } from "vitest";
import { postMessage } from "@/lib/conversations/messages";
import { createConversation } from "@/lib/conversations/service";
import { createCustomer } from "@/lib/customers/service";
import { createKnowledgeBase } from "@/lib/knowledge/bases/service";
import { type Caller, mutate } from "@/lib/platform/caller";
import { db } from "@/lib/platform/db";
import { call, newTenant, type TestTenant } from "../support/api";
import { feedShowsAll } from "../support/feed";

const size = 63;
const pageSize = 7;

let tenant: TestTenant;
let conversationId: string;
let knowledgeBaseId: string;
let webhookId: string;

const created = async (path: string, body: object): Promise<string> =>
  (await call(tenant, "POST", path, body)).body.id;
const inTransaction = (work: (caller: Caller) => Promise<{ id: string }>) =>
  mutate(tenant.identity, work).then(({ id }) => id);

type List = {
  path: () => string;
  /** Creates one more item. */
  add: (index: number) => Promise<unknown>;
  /** Removes one, in the way that the product does. */
  remove: (id: string) => Promise<unknown>;
  /** Resolves when the list shows all items that were added; by default, immediately. */
  showsAll?: () => Promise<void>;
  defaultOrder: "asc" | "desc";
};

const partition = () => tenant.identity.partition;
const where = (id: string) => ({ where: { tenantId_environment_id: { ...partition(), id } } });

const lists: Record<string, List> = {
  conversations: {
    path: () => "/conversations",
    add: (index) =>
      inTransaction((caller) =>
        createConversation(caller, {
          channelId: "web",
          priority: "NORMAL",
          tags: [],
          metadata: { index },
        }),
      ),
    remove: (id) => db().conversation.delete(where(id)),
    defaultOrder: "desc",
  },
  messages: {
    path: () => `/conversations/${conversationId}/messages`,
    add: (index) =>
      inTransaction((caller) => postMessage(caller, conversationId, { text: `Message ${index}` })),
    remove: (id) => db().message.delete(where(id)),
    defaultOrder: "asc",
  },
  customers: {
    path: () => "/customers",
    add: (index) =>
      inTransaction((caller) => createCustomer(caller, { name: `Customer ${index}` })),
    remove: (id) => db().customer.delete(where(id)),
    defaultOrder: "desc",
  },
  agents: {
    path: () => "/agents",
    add: (index) => created("/agents", { name: `Agent ${index}` }),
    remove: (id) => db().agent.delete(where(id)),
    defaultOrder: "desc",
  },
  "knowledge bases": {
    path: () => "/knowledge-bases",
    add: (index) =>
      inTransaction((caller) =>
        createKnowledgeBase(caller, { name: `Base ${index}`, metadata: {} }),
      ),
    remove: (id) => db().knowledgeBase.delete(where(id)),
    defaultOrder: "desc",
  },
  documents: {
    path: () => `/knowledge-bases/${knowledgeBaseId}/documents`,
    add: (index) =>
      created(`/knowledge-bases/${knowledgeBaseId}/documents`, {
        name: `Document ${index}`,
        text: `Text ${index}`,
      }),
    remove: (id) => call(tenant, "DELETE", `/knowledge-bases/${knowledgeBaseId}/documents/${id}`),
    defaultOrder: "desc",
  },
  deliveries: {
    path: () => `/webhooks/${webhookId}/deliveries`,
    add: (index) =>
      inTransaction((caller) => createCustomer(caller, { name: `Delivered ${index}` })),
    remove: (id) => db().delivery.delete(where(id)),
    defaultOrder: "desc",
  },
  events: {
    path: () => "/events",
    add: (index) => inTransaction((caller) => createCustomer(caller, { name: `Told ${index}` })),
    remove: (id) => db().event.delete(where(id)),
    showsAll: () => feedShowsAll(tenant),
    defaultOrder: "desc",
  },
};

beforeAll(async () => {
  tenant = await newTenant({ rateLimitPerMinute: 1_000_000 });
  conversationId = await created("/conversations", { channelId: "lists" });
  knowledgeBaseId = await created("/knowledge-bases", { name: "Lists" });
  webhookId = await created("/webhooks", {
    url: "https://example.com/",
    events: ["customer.created"],
  });
});

/** Reads a list to its end; `between` happens after each page. */
async function readAll(
  path: string,
  order: string,
  between: (page: number, lastId: string) => Promise<void> = async () => {},
) {
  const ids: string[] = [];
  let cursor = "";
  for (let page = 0; ; page++) {
    const { body } = await call(tenant, "GET", `${path}?limit=${pageSize}${order}${cursor}`);
    ids.push(...body.data.map(({ id }: { id: string }) => id));
    if (!body.nextCursor) return { ids, lastPage: body.data.length };
    expect(body.data).toHaveLength(pageSize);
    expect(body.nextCursor).toBe(ids.at(-1));
    cursor = `&cursor=${body.nextCursor}`;
    await between(page, body.nextCursor);
  }
}

describe.each(Object.entries(lists))("%s", (_name, list) => {
  test(`200 for ${size} items, each once, in both orders, also while items are added and removed`, async () => {
    const before = (await readAll(list.path(), "")).ids.length;
    for (let index = before; index < size; index++) await list.add(index);
    await list.showsAll?.();

    const { ids } = await readAll(list.path(), "");
    expect(ids).toHaveLength(Math.max(size, before));
    expect(new Set(ids).size).toBe(ids.length);
    const reversed = await readAll(
      list.path(),
      `&order=${list.defaultOrder === "asc" ? "desc" : "asc"}`,
    );
    expect(reversed.ids).toEqual(ids.toReversed());

    // The removed items include the one that the cursor names, and one that is still ahead.
    const gone = new Set<string>();
    const disturbed = await readAll(list.path(), "", async (page, lastId) => {
      if (page % 5 !== 0) return;
      await list.add(size + page);
      await list.remove(lastId);
      const later = ids[ids.indexOf(lastId) + 2 * pageSize];
      if (!later) return;
      await list.remove(later);
      gone.add(later);
    });

    expect(new Set(disturbed.ids).size).toBe(disturbed.ids.length);
    const seen = new Set(disturbed.ids);
    expect(ids.filter((id) => !gone.has(id) && !seen.has(id))).toEqual([]);
    for (const id of gone) expect(seen.has(id)).toBe(false);
  });
});

test("the last page has no cursor when it is full", async () => {
  const other = await newTenant();
  for (let index = 0; index < 2 * pageSize; index++)
    await call(other, "POST", "/customers", { name: String(index) });
  const first = (await call(other, "GET", `/customers?limit=${pageSize}`)).body;
  const second = (
    await call(other, "GET", `/customers?limit=${pageSize}&cursor=${first.nextCursor}`)
  ).body;
  expect(second.data).toHaveLength(pageSize);
  expect(second).not.toHaveProperty("nextCursor");
});

test("200 for the maximum number of webhooks", async () => {
  const other = await newTenant();
  const ids: string[] = [];
  for (let index = 0; index < 20; index++) {
    ids.unshift(
      (await call(other, "POST", "/webhooks", { url: "https://example.com/", events: ["*"] })).body
        .id,
    );
  }
  const seen: string[] = [];
  for (let cursor = ""; ; ) {
    const { data, nextCursor } = (await call(other, "GET", `/webhooks?limit=${pageSize}${cursor}`))
      .body;
    seen.push(...data.map(({ id }: { id: string }) => id));
    if (!nextCursor) break;
    cursor = `&cursor=${nextCursor}`;
  }
  expect(seen).toEqual(ids);
});
