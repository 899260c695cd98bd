import { expect, test } from "vitest";
import { runOnce } from "@/lib/api/run-once";
import { listMessages, postMessage } from "@/lib/conversations/messages";
import { createConversationBody, listInboxQuery } from "@/lib/conversations/schema";
import {
  countInbox,
  createConversation,
  listInbox,
  updateConversation,
} from "@/lib/conversations/service";
import { type Identity, mutate, reader } from "@/lib/platform/caller";
import { db } from "@/lib/platform/db";
import { newId } from "@/lib/resources/ids";
import { createTenant } from "@/lib/tenants/service";
import { as, newOrganization } from "../support/people";

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
  // As after an import: only their ids tell them apart.
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
