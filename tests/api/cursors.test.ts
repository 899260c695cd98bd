import { beforeAll, describe, expect, test } from "vitest";
import { db } from "@/lib/platform/db";
import { type IdKind, newId } from "@/lib/resources/ids";
import { call, newKey, newTenant, type TestTenant, withoutIds } from "../support/api";

type Place = { tenant: TestTenant; conversation: string; base: string; webhook: string };

let here: Place;
let sibling: Place;
let otherEnvironment: Place;
let stranger: Place;

async function newPlace(tenant: TestTenant): Promise<Place> {
  const created = async (path: string, body: object) =>
    (await call(tenant, "POST", path, body)).body.id as string;
  return {
    tenant,
    conversation: await created("/conversations", { channelId: "web" }),
    base: await created("/knowledge-bases", { name: newId("request") }),
    webhook: await created("/webhooks", {
      url: "https://example.com/",
      events: ["customer.created"],
    }),
  };
}

beforeAll(async () => {
  const tenant = await newTenant();
  here = await newPlace(tenant);
  sibling = await newPlace(tenant);
  otherEnvironment = await newPlace(await newKey(tenant, { environment: "live" }));
  stranger = await newPlace(await newTenant());
});

type List = {
  kind: IdKind;
  path: (place: Place) => string;
  /** Makes an item. @returns its id */
  add: (place: Place) => Promise<string>;
  remove: (place: Place, id: string) => Promise<unknown>;
  /** Leaves the item out. */
  filter?: string;
};

const post = async ({ tenant }: Place, path: string, body: object) =>
  (await call(tenant, "POST", path, body)).body.id as string;
const one = ({ tenant }: Place, id: string) => ({
  where: { tenantId_environment_id: { ...tenant.identity.partition, id } },
});

const lists: Record<string, List> = {
  conversations: {
    kind: "conversation",
    path: () => "/conversations",
    add: (place) => post(place, "/conversations", { channelId: "web" }),
    remove: (place, id) => db().conversation.delete(one(place, id)),
    filter: "status=CLOSED",
  },
  messages: {
    kind: "message",
    path: ({ conversation }) => `/conversations/${conversation}/messages`,
    add: (place) => post(place, `/conversations/${place.conversation}/messages`, { text: "Hi" }),
    remove: (place, id) => db().message.delete(one(place, id)),
  },
  customers: {
    kind: "customer",
    path: () => "/customers",
    add: (place) => post(place, "/customers", { name: "Ada" }),
    remove: (place, id) => db().customer.delete(one(place, id)),
    filter: "email=nobody@example.com",
  },
  agents: {
    kind: "agent",
    path: () => "/agents",
    add: (place) => post(place, "/agents", { name: "Agent" }),
    remove: (place, id) => db().agent.delete(one(place, id)),
  },
  "knowledge bases": {
    kind: "knowledgeBase",
    path: () => "/knowledge-bases",
    add: (place) => post(place, "/knowledge-bases", { name: newId("request") }),
    remove: (place, id) => db().knowledgeBase.delete(one(place, id)),
  },
  documents: {
    kind: "document",
    path: ({ base }) => `/knowledge-bases/${base}/documents`,
    add: (place) =>
      post(place, `/knowledge-bases/${place.base}/documents`, {
        name: "Text",
        text: newId("request"),
      }),
    remove: (place, id) =>
      call(place.tenant, "DELETE", `/knowledge-bases/${place.base}/documents/${id}`),
    filter: "status=FAILED",
  },
  webhooks: {
    kind: "webhook",
    path: () => "/webhooks",
    add: (place) =>
      post(place, "/webhooks", { url: "https://example.com/", events: ["agent.published"] }),
    remove: (place, id) => call(place.tenant, "DELETE", `/webhooks/${id}`),
  },
  deliveries: {
    kind: "delivery",
    path: ({ webhook }) => `/webhooks/${webhook}/deliveries`,
    add: async (place) => {
      await post(place, "/customers", { name: "Delivered" });
      return (await call(place.tenant, "GET", `/webhooks/${place.webhook}/deliveries?limit=1`)).body
        .data[0].id;
    },
    remove: (place, id) => db().delivery.delete(one(place, id)),
    filter: "status=HELD",
  },
};

const follow = (list: List, place: Place, cursor: string, query = "limit=100") =>
  call(place.tenant, "GET", `${list.path(place)}?${query}&cursor=${cursor}`);

describe.each(Object.entries(lists))("%s", (_name, list) => {
  test("422 invalid-cursor for an id that this list never returned, no matter whose it is", async () => {
    const never = await follow(list, here, newId(list.kind));
    expect(never).toMatchObject({
      status: 422,
      body: {
        type: expect.stringMatching(/\/errors\/invalid-cursor$/),
        errors: [{ pointer: "/cursor", location: "query" }],
      },
    });
    for (const place of [otherEnvironment, stranger]) {
      const theirs = await follow(list, here, await list.add(place));
      expect(withoutIds(theirs.body)).toEqual(withoutIds(never.body));
    }
    if (list.path(here) === list.path(sibling)) return;
    const ofSibling = await list.add(sibling);
    expect((await follow(list, sibling, ofSibling)).status).toBe(200);
    expect(withoutIds((await follow(list, here, ofSibling)).body)).toEqual(withoutIds(never.body));
    await list.remove(sibling, ofSibling);
    expect(withoutIds((await follow(list, here, ofSibling)).body)).toEqual(withoutIds(never.body));
  });

  test("200 after an item that has been deleted since: the page starts at its position", async () => {
    const first = await list.add(here);
    const cursor = await list.add(here);
    const last = await list.add(here);

    await list.remove(here, cursor);

    const idsOf = async (order: string) =>
      (await follow(list, here, cursor, `limit=100&order=${order}`)).body.data.map(
        ({ id }: { id: string }) => id,
      );
    expect(await idsOf("asc")).toEqual([last]);
    const older = await idsOf("desc");
    expect(older[0]).toBe(first);
    expect(older).not.toContain(last);
  });

  test.runIf(list.filter)("200 after an item that the filter leaves out by now", async () => {
    const { status, body } = await follow(
      list,
      here,
      await list.add(here),
      `limit=100&${list.filter}`,
    );
    expect({ status, body }).toEqual({ status: 200, body: { data: [] } });
  });
});

test("404 rather than 422 for a cursor of a list whose conversation, knowledge base or webhook is missing", async () => {
  for (const { path, add } of [lists.messages, lists.documents, lists.deliveries] as List[]) {
    const cursor = await add(here);
    const gone = {
      ...here,
      conversation: newId("conversation"),
      base: newId("knowledgeBase"),
      webhook: newId("webhook"),
    };
    expect((await call(here.tenant, "GET", `${path(gone)}?cursor=${cursor}`)).status).toBe(404);
  }
});
