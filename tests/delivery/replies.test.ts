import { describe, expect, test } from "vitest";
import { createAgent } from "@/lib/agents/service";
import { message as messageSchema } from "@/lib/conversations/message-schema";
import { postMessage } from "@/lib/conversations/messages";
import { redactMessage } from "@/lib/conversations/redact";
import { createConversationBody } from "@/lib/conversations/schema";
import { createConversation } from "@/lib/conversations/service";
import { updateConversation } from "@/lib/conversations/update";
import { attemptDelivery } from "@/lib/deliveries/engine/attempt-delivery";
import { claimDelivery } from "@/lib/deliveries/engine/claim";
import { endedAttempt, recordAttempts } from "@/lib/deliveries/engine/record";
import { createRecorder } from "@/lib/deliveries/engine/recorder";
import { parseReply } from "@/lib/deliveries/engine/reply";
import { getDelivery, replayWebhook, resendDelivery } from "@/lib/deliveries/service";
import { listEventsOfObject } from "@/lib/events/of-object";
import { type Caller, type DeliveryReference, mutate, reader, system } from "@/lib/platform/caller";
import { db, pool } from "@/lib/platform/db";
import { clock, receiver, withEachClock } from "../support/clocks";
import { startReceiver } from "../support/receiver";
import { newWebhook, type TestWebhook } from "../support/webhooks";

const replying = (partition?: TestWebhook["partition"]) =>
  newWebhook(receiver.url, partition, {
    events: ["message.received", "message.sent"],
    acceptsReplies: true,
  });

const respondWith = (body: string) => {
  receiver.respond = (response) => void response.writeHead(200).end(body);
};
const replyWith = (text: unknown) => respondWith(JSON.stringify({ reply: { text } }));

const act = <Result>(
  { partition }: Pick<TestWebhook, "partition">,
  work: (caller: Caller) => Promise<Result>,
) => mutate(system(partition), work);

/** A conversation with an agent, and one message of its customer. */
async function newQuestion(webhook: TestWebhook, { hasAgent = true } = {}) {
  const agent = hasAgent
    ? await act(webhook, (caller) =>
        createAgent(caller, { name: "Concierge", knowledgeBaseIds: [], metadata: {} }),
      )
    : null;
  const { id } = await act(webhook, (caller) =>
    createConversation(
      caller,
      createConversationBody.parse({ channelId: "web", ...(agent && { agentId: agent.id }) }),
    ),
  );
  await act(webhook, (caller) => postMessage(caller, id, { text: "Where is my order?" }));
  const event = await db().event.findFirstOrThrow({
    where: { ...webhook.partition, type: "message.received" },
    orderBy: { id: "desc" },
  });
  const { id: deliveryId } = await db().delivery.findFirstOrThrow({
    where: { webhookId: webhook.id, eventId: event.id },
  });
  return { conversationId: id, agentId: agent?.id ?? null, eventId: event.id, deliveryId };
}

const messagesOf = (conversationId: string) =>
  db().message.findMany({ where: { conversationId }, orderBy: { sequence: "asc" } });

const repliesOf = async (webhook: TestWebhook, deliveryId: string) =>
  (await getDelivery(reader(system(webhook.partition)), webhook.id, deliveryId)).attempts.map(
    ({ reply }) => reply,
  );

withEachClock(() => {
  test("a reply is posted once as a message of the agent, raises one event, and is not replied to", async () => {
    const webhook = await replying();
    replyWith("On its way.");
    const question = await newQuestion(webhook);
    await clock.settle();
    await clock.advance(200_000);
    await clock.settleWorker();

    const [, reply, ...others] = await messagesOf(question.conversationId);
    expect(others).toEqual([]);
    expect(reply).toMatchObject({
      id: `msg_${question.eventId.slice(4)}`,
      sequence: 2,
      direction: "OUTBOUND",
      authorType: "AGENT",
      authorId: question.agentId,
      authorName: "Concierge",
      text: "On its way.",
      externalId: question.eventId,
    });
    const sent = await db().event.findMany({
      where: { ...webhook.partition, type: "message.sent" },
    });
    expect(sent).toHaveLength(1);
    const { data, timestamp } = JSON.parse(sent[0]?.payload ?? "");
    expect(messageSchema.parse(data.object)).toEqual({
      id: reply?.id,
      environment: "test",
      conversationId: question.conversationId,
      sequence: 2,
      direction: "OUTBOUND",
      author: { type: "AGENT", id: question.agentId, name: "Concierge" },
      text: "On its way.",
      attachments: [],
      externalId: question.eventId,
      metadata: {},
      redactedAt: null,
      createdAt: reply?.createdAt.toISOString(),
    });
    expect(timestamp).toBe(reply?.createdAt.toISOString());
    expect(
      await db().conversation.findFirst({ where: { id: question.conversationId } }),
    ).toMatchObject({ messageCount: 2, lastMessagePreview: "On its way." });
    expect(await repliesOf(webhook, question.deliveryId)).toEqual([
      { messageId: reply?.id, problem: null },
    ]);
    expect(receiver.requests.map(({ headers }) => headers["x-service-event-type"])).toEqual([
      "message.received",
      "message.sent",
    ]);
  });

  test("a conversation without an agent gets the reply from an agent without an id", async () => {
    const webhook = await replying();
    replyWith("Hello!");
    const question = await newQuestion(webhook, { hasAgent: false });
    await clock.settle();
    expect((await messagesOf(question.conversationId))[1]).toMatchObject({
      authorType: "AGENT",
      authorId: null,
      authorName: null,
    });
  });

  test("resends, replays and other webhooks post no second reply", async () => {
    const webhook = await replying();
    await replying(webhook.partition);
    replyWith("First");
    const question = await newQuestion(webhook);
    await clock.settle();
    replyWith("Second");
    await act(webhook, (caller) => resendDelivery(caller, webhook.id, question.deliveryId));
    await clock.settle();
    await act(webhook, (caller) =>
      replayWebhook(caller, webhook.id, { since: new Date(0), dryRun: false }),
    );
    await clock.settleWorker();
    await clock.settle();
    await clock.advance(10);
    await clock.settleWorker();

    expect(await messagesOf(question.conversationId)).toHaveLength(2);
    const problems = (
      await db().deliveryAttempt.findMany({
        where: { ...webhook.partition, replyMessageId: { not: null } },
      })
    ).map(({ replyProblem }) => replyProblem);
    expect(problems.toSorted()).toEqual([
      "already_replied",
      "already_replied",
      "already_replied",
      null,
    ]);
  });

  test.each([
    ["conversation_closed", "CLOSED"],
    ["conversation_deleted", null],
  ] as const)(
    "a reply to a conversation that takes none does not fail: %s",
    async (problem, status) => {
      const webhook = await replying();
      replyWith("Too late");
      const question = await newQuestion(webhook);
      if (status)
        await act(webhook, (caller) =>
          updateConversation(caller, question.conversationId, { status }),
        );
      else
        await db().conversation.delete({
          where: { tenantId_environment_id: { ...webhook.partition, id: question.conversationId } },
        });
      await clock.settle();

      expect(await messagesOf(question.conversationId)).toHaveLength(status ? 1 : 0);
      expect(await repliesOf(webhook, question.deliveryId)).toEqual([{ messageId: null, problem }]);
      expect(await db().delivery.findFirst({ where: { id: question.deliveryId } })).toMatchObject({
        status: "DELIVERED",
      });
    },
  );

  test("a reply to a message that was redacted is not posted", async () => {
    const webhook = await replying();
    replyWith("Ada, it is on its way.");
    const question = await newQuestion(webhook);
    const [message] = await messagesOf(question.conversationId);
    await act(webhook, (caller) =>
      redactMessage(caller, question.conversationId, message?.id ?? ""),
    );
    await clock.settle();
    expect(await messagesOf(question.conversationId)).toHaveLength(1);
    expect(await repliesOf(webhook, question.deliveryId)).toEqual([
      { messageId: null, problem: "message_redacted" },
    ]);
  });

  test("the text of a redacted reply is in no event and no stored response", async () => {
    const webhook = await replying();
    replyWith("Ada, it is on its way.");
    const question = await newQuestion(webhook);
    await clock.settle();
    const [, reply] = await messagesOf(question.conversationId);
    await act(webhook, (caller) => redactMessage(caller, question.conversationId, reply?.id ?? ""));
    const of = { where: webhook.partition };
    const stored = await Promise.all([
      db().message.findMany({ ...of, select: { text: true } }),
      db().event.findMany({ ...of, select: { payload: true } }),
      db().delivery.findMany({ ...of, select: { firstResponse: true } }),
      db().deliveryAttempt.findMany({ ...of, select: { response: true } }),
    ]);
    expect(JSON.stringify(stored)).toContain("Where is my order?");
    expect(JSON.stringify(stored)).not.toContain("Ada");
  });

  test("an invalid reply does not fail, and its attempt says why", async () => {
    const webhook = await replying();
    respondWith('{"reply": {"text": ""}}');
    const question = await newQuestion(webhook);
    await clock.settle();
    expect(await messagesOf(question.conversationId)).toHaveLength(1);
    expect(await repliesOf(webhook, question.deliveryId)).toEqual([
      { messageId: null, problem: "invalid_reply" },
    ]);
  });

  test("a reply that is not UTF-8 is not posted with other characters in place of its bytes", async () => {
    const webhook = await replying();
    const latin1 = Buffer.from('{"reply": {"text": "Für Sie"}}', "latin1");
    receiver.respond = (response) => void response.writeHead(200).end(latin1);
    const question = await newQuestion(webhook);
    await clock.settle();
    expect(await messagesOf(question.conversationId)).toHaveLength(1);
    expect(await repliesOf(webhook, question.deliveryId)).toEqual([
      { messageId: null, problem: "invalid_json" },
    ]);

    // The character for unknown characters is a valid one.
    replyWith("Unknown: \uFFFD");
    const other = await newQuestion(webhook);
    await clock.settle();
    expect((await messagesOf(other.conversationId)).map(({ text }) => text)).toContain(
      "Unknown: \uFFFD",
    );
  });

  test("a webhook that accepts no replies posts none, and neither does a failed response", async () => {
    const webhook = await newWebhook(receiver.url);
    replyWith("Unwanted");
    const question = await newQuestion(webhook);
    await clock.settle();
    expect(await messagesOf(question.conversationId)).toHaveLength(1);
    expect(await repliesOf(webhook, question.deliveryId)).toEqual([null]);

    const accepting = await replying();
    receiver.respond = (response) =>
      void response.writeHead(500).end(JSON.stringify({ reply: { text: "No" } }));
    const other = await newQuestion(accepting);
    await clock.settle();
    expect(await messagesOf(other.conversationId)).toHaveLength(1);
  });

  test("an attempt that outlasted its lease posts nothing", async () => {
    const webhook = await replying();
    const question = await newQuestion(webhook);
    const reference: DeliveryReference = { ...webhook.partition, id: question.deliveryId };
    const late = await claimDelivery(reference, clock.now());
    if (!late) throw new Error("nothing was claimed");
    const again = await claimDelivery(reference, new Date(clock.now().getTime() + 60_000));
    if (!again) throw new Error("its lease did not end");

    const response = JSON.stringify({ reply: { text: "Once" } });
    const result = { statusCode: 200, response, durationMs: 1 };
    const ended = [late, again].map((delivery) => endedAttempt(delivery, result, clock.now()));
    expect(await recordAttempts(ended, clock.now())).toMatchObject([null, { status: "DELIVERED" }]);
    expect(await recordAttempts(ended, clock.now())).toEqual([null, null]);
    expect(await messagesOf(question.conversationId)).toHaveLength(2);
  });

  test("the longest reply is posted whole, and its response is stored in part", async () => {
    const webhook = await replying();
    const text = "ü".repeat(10_000);
    respondWith(JSON.stringify({ reply: { text } }).replaceAll("ü", "\\u00fc"));
    const question = await newQuestion(webhook);
    await clock.settle();
    expect((await messagesOf(question.conversationId))[1]?.text).toHaveLength(10_000);
    const [attempt] = await db().deliveryAttempt.findMany({
      where: { deliveryId: question.deliveryId },
    });
    expect(attempt?.response).toHaveLength(16_384);
  });
});

test("a reply that is posted after its question's day was counted is part of that day's usage, once", async () => {
  const webhook = await newWebhook("http://127.0.0.1:9/", undefined, {
    events: ["message.received"],
    acceptsReplies: true,
  });
  const { conversationId, deliveryId } = await newQuestion(webhook);
  const { partition } = webhook;
  const { createdAt } = await db().conversation.findFirstOrThrow({
    where: { id: conversationId, ...partition },
  });
  const day = createdAt.toISOString().slice(0, 10);
  const tomorrow = new Date(Date.parse(day) + 86_400_000);
  await db().tenant.update({ where: { id: partition.tenantId }, data: { countedUntil: tomorrow } });
  const counts = { conversationsCreated: 1, messagesReceived: 1, messagesSent: 4 };
  await db().conversationDay.create({ data: { ...partition, day: new Date(day), ...counts } });

  const at = new Date(tomorrow.getTime() + 2 * 3_600_000);
  const delivery = await claimDelivery({ ...partition, id: deliveryId }, at);
  if (!delivery) throw new Error("nothing was claimed");
  const response = JSON.stringify({ reply: { text: "On its way." } });
  const attempt = endedAttempt(delivery, { statusCode: 200, response, durationMs: 1 }, at);
  await recordAttempts([attempt], at);
  await recordAttempts([attempt], at);

  expect(await messagesOf(conversationId)).toHaveLength(2);
  expect(await db().conversationDay.findMany({ where: partition })).toEqual([
    { ...partition, day: new Date(day), ...counts, messagesSent: 5 },
  ]);
});

describe("while a conversation is locked", () => {
  const newWaiting = () =>
    newWebhook("http://127.0.0.1:9/", undefined, {
      events: ["message.received"],
      acceptsReplies: true,
    });

  /** A question whose delivery has ended with a reply that is not recorded yet. */
  async function newReply(webhook: TestWebhook) {
    const question = await newQuestion(webhook);
    const delivery = await claimDelivery({ ...webhook.partition, id: question.deliveryId });
    if (!delivery) throw new Error("nothing was claimed");
    const response = JSON.stringify({ reply: { text: "On its way." } });
    const attempt = endedAttempt(
      delivery,
      { statusCode: 200, response, durationMs: 1 },
      new Date(),
    );
    return { ...question, attempt };
  }

  async function lock(conversationId: string) {
    const client = await pool().connect();
    await client.query("BEGIN");
    await client.query("SELECT 1 FROM conversations WHERE id = $1 FOR NO KEY UPDATE", [
      conversationId,
    ]);
    const end = async () => {
      await client.query("COMMIT");
      client.release();
    };
    return { client, end };
  }

  async function aReplyWaits(): Promise<void> {
    const waiting = `SELECT 1 FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%WITH RECURSIVE target%'`;
    while ((await pool().query(waiting)).rowCount === 0);
  }

  test("a message that is redacted meanwhile gets no reply", async () => {
    const { conversationId, attempt } = await newReply(await newWaiting());
    const { client, end } = await lock(conversationId);
    const recording = recordAttempts([attempt]);
    await aReplyWaits();
    await client.query(
      "UPDATE messages SET text = '', redacted_at = now() WHERE conversation_id = $1",
      [conversationId],
    );
    await end();
    expect(await recording).toMatchObject([{ status: "DELIVERED" }]);
    expect(await messagesOf(conversationId)).toHaveLength(1);
  });

  test("replies in other conversations are posted", async () => {
    const webhook = await newWaiting();
    const [locked, other] = [await newReply(webhook), await newReply(webhook)];
    const { end } = await lock(locked.conversationId);
    const recorder = createRecorder();
    const waiting = recorder.record(locked.attempt);
    await aReplyWaits();
    expect(await recorder.record(other.attempt)).toMatchObject({ status: "DELIVERED" });
    expect(await messagesOf(other.conversationId)).toHaveLength(2);
    await end();
    expect(await waiting).toMatchObject({ status: "DELIVERED" });
    await recorder.flush();
  });

  test("replies of a webhook that is locked hold up no other attempts, and do not count as unrecorded", async () => {
    const locked = await newWaiting();
    const attempts = [];
    for (let count = 0; count < 6; count++) attempts.push((await newReply(locked)).attempt);
    const client = await pool().connect();
    await client.query("BEGIN");
    await client.query("SELECT 1 FROM webhooks WHERE id = $1 FOR NO KEY UPDATE", [locked.id]);
    const recorder = createRecorder();
    const waiting = attempts.map((attempt) => recorder.record(attempt));
    for (let count = 0; count < 3; count++) {
      const { attempt } = await newReply(await newWaiting());
      const plain = (await newReply(await newWaiting())).attempt;
      expect(await recorder.record(attempt)).toMatchObject({ status: "DELIVERED" });
      expect(await recorder.record({ ...plain, reply: null })).toMatchObject({
        status: "DELIVERED",
      });
    }
    await expect.poll(() => [recorder.size(), recorder.blockedSize()]).toEqual([0, 6]);
    await client.query("COMMIT");
    client.release();
    for (const recorded of await Promise.all(waiting))
      expect(recorded).toMatchObject({ status: "DELIVERED" });
    await expect.poll(() => recorder.blockedSize()).toBe(0);
    await recorder.flush();
  });
});

test.each([
  ["ok", null],
  ["", null],
  ["[1]", null],
  ["{}", null],
  ['{"received": true}', null],
  ['{"reply": null}', null],
  ["{", { problem: "invalid_json" }],
  ['\uFEFF {"reply": {"text": "Hello"}}', { text: "Hello" }],
  ['{"reply": "Hi"}', { problem: "invalid_reply" }],
  ['{"reply": {}}', { problem: "invalid_reply" }],
  ['{"reply": {"text": 1}}', { problem: "invalid_reply" }],
  ['{"reply": {"text": "Hi", "author": "me"}}', { problem: "invalid_reply" }],
  ['{"reply": {"text": "\\u0000"}}', { problem: "invalid_reply" }],
  ['{"reply": {"text": "\\ud800"}}', { problem: "invalid_reply" }],
  [JSON.stringify({ reply: { text: "😀".repeat(10_000) } }), { text: "😀".repeat(10_000) }],
  [JSON.stringify({ reply: { text: "😀".repeat(10_001) } }), { problem: "too_long" }],
  [JSON.stringify({ reply: { text: "a".repeat(10_001) } }), { problem: "too_long" }],
  [`{"reply": {"text": "${"a".repeat(70_000)}`, { problem: "too_long" }],
  [' {"reply": {"text": "Hi"}, "more": 1}', { text: "Hi" }],
])("a response has a reply, none, or a problem (%#)", (body, expected) => {
  expect(parseReply(body)).toEqual(expected);
});

test("the event of a reply is found by its message, also if the webhook took seconds to respond", async () => {
  const slow = await startReceiver();
  slow.respond = (response) =>
    void setTimeout(() => response.writeHead(200).end('{"reply":{"text":"Sorry"}}'), 2_000);
  const webhook = await newWebhook(slow.url, undefined, {
    events: ["message.received"],
    acceptsReplies: true,
  });
  const { conversationId, deliveryId } = await newQuestion(webhook);
  await attemptDelivery({ ...webhook.partition, id: deliveryId });
  await slow.close();
  const found = (await messagesOf(conversationId)).map(async ({ id: objectId }) => {
    const query = { objectId, limit: 20 };
    const { data } = await listEventsOfObject(reader(system(webhook.partition)), query);
    return data.map(({ type }) => type);
  });
  expect(await Promise.all(found)).toEqual([["message.received"], ["message.sent"]]);
});
