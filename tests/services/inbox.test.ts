import { expect, test } from "vitest";
import { runOnce } from "@/lib/api/run-once";
import { deleteConversation } from "@/lib/conversations/delete";
import { conversationHistory } from "@/lib/conversations/history";
import { listMessages, postMessage } from "@/lib/conversations/messages";
import { deleteView, listSavedViews, saveView } from "@/lib/conversations/saved-views";
import { createConversationBody, listInboxQuery } from "@/lib/conversations/schema";
import { countInbox, createConversation, listInbox } from "@/lib/conversations/service";
import { updateConversation } from "@/lib/conversations/update";
import { unreadConversations, visitConversation } from "@/lib/conversations/visits";
import { listEventsOfObject } from "@/lib/events/of-object";
import { leaveOrganization } from "@/lib/members/service";
import { type Identity, mutate, reader } from "@/lib/platform/caller";
import { databaseWaits } from "@/lib/platform/database-waits";
import { db } from "@/lib/platform/db";
import { RoleMissing } from "@/lib/platform/roles";
import { newId } from "@/lib/resources/ids";
import { createTenant } from "@/lib/tenants/service";
import { as, auditOf, newMember, newOrganization } from "../support/people";

// Transactions wait for each other here, on any machine.
databaseWaits.lock = 60_000;

async function newIdentity(): Promise<Identity> {
  const { id } = await createTenant(db(), { name: "Inbox" });
  const actor = { type: "USER", id: newId("user"), role: "MEMBER" } as const;
  return { partition: { tenantId: id, environment: "test" }, actor, request: null, address: null };
}

const open = (identity: Identity, body: object = {}) =>
  mutate(identity, (caller) =>
    createConversation(caller, createConversationBody.parse({ channelId: "web", ...body })),
  );
const update = (identity: Identity, id: string, patch: Parameters<typeof updateConversation>[2]) =>
  mutate(identity, (caller) => updateConversation(caller, id, patch));
const subjects = async (identity: Identity, query: object) =>
  (await listInbox(reader(identity), listInboxQuery.parse(query))).data.map(
    ({ subject }) => subject,
  );

test("the inbox is ordered by the last change, and shows open conversations by default", async () => {
  const identity = await newIdentity();
  const [first, second] = [
    await open(identity, { subject: "first" }),
    await open(identity, { subject: "second", tags: ["vip"] }),
  ];
  await open(identity, { subject: "third", channelId: "email" });
  await update(identity, second.id, { status: "RESOLVED" });
  await mutate(identity, (caller) => postMessage(caller, first.id, { text: "still there?" }));

  expect(await subjects(identity, {})).toEqual(["first", "third"]);
  expect(await subjects(identity, { status: "all" })).toEqual(["first", "second", "third"]);
  expect(await subjects(identity, { status: "RESOLVED,CLOSED" })).toEqual(["second"]);
  expect(await subjects(identity, { status: "all", tag: "vip" })).toEqual(["second"]);
  expect(await subjects(identity, { channelId: "email" })).toEqual(["third"]);
  expect(await subjects(await newIdentity(), { status: "all" })).toEqual([]);
});

test("it is filtered by one assignee, or by none", async () => {
  const { owner } = await newOrganization();
  const identity = as(owner);
  const [hers] = [
    await open(identity, { subject: "hers" }),
    await open(identity, { subject: "nobody's" }),
  ];
  await update(identity, hers.id, { assigneeId: owner.id });

  expect(await subjects(identity, { assigneeId: owner.id })).toEqual(["hers"]);
  expect(await subjects(identity, { assigneeId: "nobody" })).toEqual(["nobody's"]);
  expect(await subjects(identity, { assigneeId: newId("user") })).toEqual([]);
  expect(await subjects(identity, { assigneeId: owner.id, status: "RESOLVED" })).toEqual([]);
  expect(listInboxQuery.safeParse({ assigneeId: "somebody" }).success).toBe(false);
});

test("its pages contain each conversation once, also when they changed at the same time, and while others move up", async () => {
  const identity = await newIdentity();
  const ids: string[] = [];
  for (let index = 0; index < 70; index++) ids.push((await open(identity)).id);
  // As after an import: only their ids differ.
  await db().conversation.updateMany({
    where: { id: { in: ids.slice(0, 50) } },
    data: { updatedAt: new Date("2026-01-01") },
  });

  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await listInbox(reader(identity), listInboxQuery.parse({ cursor }));
    seen.push(...page.data.map(({ id }) => id));
    cursor = page.nextCursor;
    // The last one of this page moves to the top: the next page still starts after where it
    // was.
    const last = page.data.at(-1);
    if (last) await mutate(identity, (caller) => postMessage(caller, last.id, { text: "again" }));
  } while (cursor);

  expect(seen).toHaveLength(70);
  expect(new Set(seen)).toEqual(new Set(ids));
});

test.each(["cnv_01KA5V0V7W3Y5Z8J4QX2N6M9TC", "12-cus_01KA5V0V7W3Y5Z8J4QX2N6M9TC", "x", ""])(
  "no cursor of the inbox: %j",
  (cursor) => {
    expect(listInboxQuery.safeParse({ cursor }).success).toBe(false);
  },
);

test("each status is counted, up to the given number", async () => {
  const [identity, other] = await Promise.all([newIdentity(), newIdentity()]);
  const made = await Promise.all(Array.from({ length: 5 }, () => open(identity)));
  await open(other);
  await update(identity, made[0]?.id ?? "", { status: "CLOSED" });

  expect(await countInbox(reader(identity), 100)).toEqual({
    OPEN: 4,
    PENDING: 0,
    SNOOZED: 0,
    RESOLVED: 0,
    CLOSED: 1,
  });
  expect(await countInbox(reader(identity), 3)).toEqual({
    OPEN: 3,
    PENDING: 0,
    SNOOZED: 0,
    RESOLVED: 0,
    CLOSED: 1,
  });
});

test("ten concurrent messages with one key create one message, and all return it", async () => {
  const identity = await newIdentity();
  const { id } = await open(identity);
  const send = () =>
    mutate(identity, (caller) =>
      runOnce(
        caller,
        "k1",
        { id },
        async () => (await postMessage(caller, id, { text: "Hello" })).id,
      ),
    );

  const responses = await Promise.all(Array.from({ length: 10 }, send));

  const { data } = await listMessages(reader(identity), id, { limit: 100, order: "asc" });
  expect(data).toHaveLength(1);
  expect(new Set(responses)).toEqual(new Set([data[0]?.id]));
});

test("a key is valid for one user and one text; a refusal leaves it free", async () => {
  const [identity, colleague] = [await newIdentity(), newId("user")];
  const { id } = await open(identity);
  const send = (as: Identity, text: string) =>
    mutate(as, (caller) =>
      runOnce(
        caller,
        "k1",
        { text },
        async () => (await postMessage(caller, id, { text })).sequence,
      ),
    );

  await expect(
    mutate(identity, (caller) =>
      runOnce(caller, "k1", { text: "refused" }, () =>
        postMessage(caller, "cnv_00000000000000000000000000", { text: "refused" }),
      ),
    ),
  ).rejects.toMatchObject({ kind: "not-found" });
  expect(await send(identity, "mine")).toBe(1);
  expect(
    await send({ ...identity, actor: { type: "USER", id: colleague, role: "MEMBER" } }, "hers"),
  ).toBe(2);
  await expect(send(identity, "another text")).rejects.toMatchObject({
    kind: "idempotency-key-reused",
  });
});

const colleagueOf = (identity: Identity, id = newId("user")): Identity => ({
  ...identity,
  actor: { type: "USER", id, role: "MEMBER" },
});
const visit = async (identity: Identity, id: string, seen = true) => {
  const { messageCount } = await db().conversation.findFirstOrThrow({ where: { id } });
  return visitConversation(reader(identity), { id, messageCount }, { seen });
};
const write = (identity: Identity, id: string, message: object) =>
  mutate(identity, (caller) =>
    postMessage(caller, id, { text: "Hi", ...message } as Parameters<typeof postMessage>[2]),
  );

test("a conversation is unread until the member has seen its newest message of the customer, for each member", async () => {
  const ada = await newIdentity();
  const grace = colleagueOf(ada);
  const unread = async (identity: Identity) =>
    (
      await listInbox(reader(identity), listInboxQuery.parse({ unread: "true", status: "all" }))
    ).data
      .map(({ subject }) => subject)
      .sort();
  const asked = await open(ada, { subject: "asked", message: "Hello?" });
  const quiet = await open(ada, { subject: "quiet" });
  await write(ada, quiet.id, { author: { type: "USER", name: "Ada" } });
  expect(await unread(ada)).toEqual(["asked"]);

  // The newest message is not on the screen.
  await visit(ada, asked.id, false);
  expect(await unread(ada)).toEqual(["asked"]);
  await visit(ada, asked.id);
  expect(await unread(ada)).toEqual([]);
  expect(await unread(grace)).toEqual(["asked"]);

  // A reply and a note of others are not messages of the customer.
  await write(grace, asked.id, { author: { type: "USER", name: "Grace" } });
  await write(grace, asked.id, { author: { type: "USER", name: "Grace" }, direction: "INTERNAL" });
  expect(await unread(ada)).toEqual([]);
  await write(ada, asked.id, {});
  expect(await unread(ada)).toEqual(["asked"]);
  expect(await unreadConversations(reader(ada), [asked.id, quiet.id])).toEqual(new Set([asked.id]));

  // An older page of the thread does not take back what was seen.
  await visit(ada, asked.id);
  await visit(ada, asked.id, false);
  expect(await unread(ada)).toEqual([]);
});

test("a visit is one row for each member and conversation, names who else is there, and ends with the conversation", async () => {
  const { owner, tenant } = await newOrganization();
  const grace = await newMember(tenant.id, "MEMBER");
  const [identity, hers] = [as(owner), as(grace)];
  const { id } = await open(identity, { message: "Hello?" });
  expect(await visit(hers, id)).toEqual([]);
  expect(await visit(identity, id)).toEqual(["Grace"]);
  expect(await visit(identity, id)).toEqual(["Grace"]);
  const rows = () => db().conversationVisit.findMany({ where: { tenantId: tenant.id } });
  expect(await rows()).toHaveLength(2);
  await db().conversationVisit.updateMany({
    where: { userId: grace.id },
    data: { presentAt: new Date(Date.now() - 60_000) },
  });
  expect(await visit(identity, id)).toEqual([]);

  await mutate(hers, (caller) =>
    saveView(caller, { name: "Hers", query: "status=PENDING", isShared: false }),
  );
  await mutate(hers, (caller) =>
    saveView(caller, { name: "Ours", query: "status=CLOSED", isShared: true }),
  );
  const names = async (who: Identity) =>
    (await listSavedViews(reader(who))).map(({ name }) => name);
  expect(await names(hers)).toEqual(["Hers", "Ours"]);
  expect(await names(identity)).toEqual(["Ours"]);
  await expect(
    mutate(colleagueOf(identity), (caller) =>
      deleteView(caller, { userId: grace.id, name: "Ours" }),
    ),
  ).rejects.toThrow(RoleMissing);

  await mutate(hers, (caller) => leaveOrganization(caller));
  expect((await rows()).map(({ userId }) => userId)).toEqual([owner.id]);
  expect(await names(hers)).toEqual(["Ours"]);
  await mutate(identity, (caller) => deleteView(caller, { userId: grace.id, name: "Ours" }));
  // The name could be a customer's, and the log is never changed.
  expect((await auditOf(tenant.id)).at(-1)).toEqual({
    action: "saved_view.deleted",
    actorId: owner.id,
    targetId: grace.id,
    changes: {},
  });
  expect(await names(identity)).toEqual([]);
  await mutate(identity, (caller) => deleteConversation(caller, id));
  expect(await rows()).toEqual([]);
});

test("sorted by priority, each page continues where the one before ended", async () => {
  const identity = await newIdentity();
  const priorities = ["LOW", "NORMAL", "URGENT", "HIGH"] as const;
  for (const index of Array.from({ length: 36 }).keys())
    await open(identity, { subject: String(index), priority: priorities[index % 4] });
  const found: { priority: string; updatedAt: string }[] = [];
  for (let cursor: string | undefined; ; ) {
    const query = listInboxQuery.parse({ sort: "priority", ...(cursor && { cursor }) });
    const page = await listInbox(reader(identity), query);
    found.push(...page.data);
    cursor = page.nextCursor;
    if (!cursor) break;
  }
  const rank = (priority: string) => ["URGENT", "HIGH", "NORMAL", "LOW"].indexOf(priority);
  expect(found).toHaveLength(36);
  expect(found).toEqual(
    found.toSorted(
      (one, other) =>
        rank(one.priority) - rank(other.priority) || other.updatedAt.localeCompare(one.updatedAt),
    ),
  );
});

test("the history of a conversation has its changes of status and assignee, and no others", async () => {
  const { owner } = await newOrganization();
  const identity = as(owner);
  const { id } = await open(identity, { message: "Hello?" });
  await open(identity, { message: "Another" });
  await update(identity, id, { assigneeId: owner.id });
  await update(identity, id, { subject: "A lamp" });
  await update(identity, id, { status: "PENDING", assigneeId: null });
  const history = await conversationHistory(reader(identity), { id });
  expect(history.map(({ status, assignee }) => ({ status, assignee }))).toEqual([
    { status: null, assignee: { from: null, to: owner.id } },
    { status: { from: "OPEN", to: "PENDING" }, assignee: { from: owner.id, to: null } },
  ]);
  // Also the types that are not in the index of objects.
  const { data } = await listEventsOfObject(reader(identity), { objectId: id, limit: 10 });
  expect(data.map(({ type }) => type)).toEqual([
    "conversation.status_changed",
    "conversation.updated",
    "conversation.updated",
    "conversation.created",
  ]);
  const page = await listEventsOfObject(reader(identity), {
    objectId: id,
    limit: 10,
    cursor: data[1]?.id,
  });
  expect(page.data.map(({ type }) => type)).toEqual([
    "conversation.updated",
    "conversation.created",
  ]);
});

test("the error for an unknown status in the URL lists the statuses that exist", () => {
  for (const status of ["NOPE", "OPEN,NOPE"])
    expect(listInboxQuery.safeParse({ status }).error?.issues[0]?.message).toBe(
      "must be all, or one or several of OPEN, PENDING, SNOOZED, RESOLVED, CLOSED, separated by commas",
    );
});
