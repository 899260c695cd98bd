import { beforeEach, describe, expect, test } from "vitest";
import { postMessage, postMessageInOneStatement } from "@/lib/conversations/messages";
import { createConversationBody } from "@/lib/conversations/schema";
import { createConversation } from "@/lib/conversations/service";
import { claimDeliveries, claimDelivery, startOfScan } from "@/lib/deliveries/engine/claim";
import { startDelivering } from "@/lib/deliveries/engine/deliver";
import { endedAttempt, recordAttempts } from "@/lib/deliveries/engine/record";
import { releaseLanes, sweepLanes } from "@/lib/deliveries/engine/release-lanes";
import { workOffBacklog } from "@/lib/deliveries/engine/work-off-backlog";
import {
  discardHeld,
  enableWebhook,
  recoverDeliveries,
  replayWebhook,
  resendDelivery,
} from "@/lib/deliveries/service";
import { recordEvent } from "@/lib/events/record-event";
import { mutate, system } from "@/lib/platform/caller";
import { db, pool } from "@/lib/platform/db";
import { newId } from "@/lib/resources/ids";
import type { UpdateWebhook } from "@/lib/webhooks/schema";
import { updateWebhook } from "@/lib/webhooks/service";
import { clock, receiver, withEachClock } from "../support/clocks";
import { type ReceivedRequest, startReceiver } from "../support/receiver";
import {
  countByStatus,
  findDelivery,
  newPartition,
  newWebhook,
  raiseMessage,
  type TestWebhook,
} from "../support/webhooks";

const objectOf = ({ body }: ReceivedRequest) =>
  JSON.parse(body).data.object as { conversationId?: string; sequence?: number };

/** The sequences of a conversation's messages, in the order in which they were received. */
const receivedIn = (conversationId: string, requests = receiver.requests) =>
  requests
    .map(objectOf)
    .filter((object) => object.conversationId === conversationId)
    .map(({ sequence }) => sequence);

const ordered = (url: string, options = {}) =>
  newWebhook(url, undefined, { ordering: "conversation", ...options });

const newConversation = () => newId("conversation");

const raise = async ({ partition }: TestWebhook, conversationId: string, count: number) => {
  const raised = [];
  for (let sequence = 1; sequence <= count; sequence++)
    raised.push(await raiseMessage(partition, conversationId, sequence));
  return raised;
};

const change = ({ partition, id }: TestWebhook, patch: UpdateWebhook) =>
  mutate(system(partition), (caller) => updateWebhook(caller, id, patch));

/** Responds with 500 to the first message of a conversation until `fix` is called. */
function failFirstOf(conversationId: string) {
  const ok = receiver.respond;
  receiver.respond = (response, received) => {
    const { conversationId: of, sequence } = objectOf(received);
    if (of === conversationId && sequence === 1) response.writeHead(500).end();
    else ok(response, received);
  };
  const fix = () => {
    receiver.respond = ok;
  };
  return { fix };
}

withEachClock(() => {
  test("a failing conversation waits in order, and holds no other one", async () => {
    const webhook = await ordered(receiver.url);
    const [failing, other] = [newConversation(), newConversation()];
    const { fix } = failFirstOf(failing);
    await raise(webhook, failing, 3);
    await raise(webhook, other, 3);
    await clock.settle();
    expect(receivedIn(other)).toEqual([1, 2, 3]);
    expect(receivedIn(failing)).toEqual([1]);

    fix();
    await clock.advance(40);
    await clock.settleWorker();
    expect(receivedIn(failing)).toEqual([1, 1, 2, 3]);
    expect(await countByStatus(webhook.partition, webhook.id)).toEqual({ DELIVERED: 6 });
  });

  test("after the last attempt a conversation continues, by default", async () => {
    const webhook = await ordered(receiver.url);
    const conversationId = newConversation();
    failFirstOf(conversationId);
    await raise(webhook, conversationId, 3);
    await clock.settle();
    await clock.advance(200_000);
    await clock.settleWorker();

    expect(receivedIn(conversationId)).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 2, 3]);
    expect(await countByStatus(webhook.partition, webhook.id)).toEqual({ FAILED: 1, DELIVERED: 2 });
  });

  test.each(["resend", "recover", "discard", "setting"] as const)(
    "with onExhausted hold it waits, until a %s ends the wait",
    async (way) => {
      const webhook = await ordered(receiver.url, { onExhausted: "hold" });
      const conversationId = newConversation();
      const { fix } = failFirstOf(conversationId);
      const [first] = await raise(webhook, conversationId, 3);
      await clock.settle();
      await clock.advance(200_000);
      await clock.settleWorker();
      expect(receivedIn(conversationId)).toEqual([1, 1, 1, 1, 1, 1, 1, 1]);
      expect(await countByStatus(webhook.partition, webhook.id)).toEqual({ HELD: 1, PENDING: 2 });

      fix();
      await mutate(system(webhook.partition), async (caller) => {
        if (way === "resend") await resendDelivery(caller, webhook.id, first?.id ?? "");
        if (way === "recover")
          await recoverDeliveries(caller, webhook.id, { since: new Date(0), dryRun: false });
        if (way === "discard") await discardHeld(caller, webhook.id);
        if (way === "setting") await updateWebhook(caller, webhook.id, { onExhausted: "continue" });
      });
      await clock.settleWorker();
      await clock.settle();
      await clock.advance(10);
      await clock.settleWorker();
      expect(receivedIn(conversationId).slice(8)).toEqual(
        way === "resend" || way === "recover" ? [1, 2, 3] : [2, 3],
      );
    },
  );

  test("a delivery that a process claimed and never finished stays first", async () => {
    const webhook = await ordered(receiver.url);
    const conversationId = newConversation();
    const [first] = await raise(webhook, conversationId, 2);
    if (!first) throw new Error("nothing was raised");
    expect(await claimDelivery(first, clock.now())).not.toBeNull();
    await clock.settle();
    expect(receivedIn(conversationId)).toEqual([]);

    await clock.advance(31);
    await clock.advance(150);
    await clock.settleWorker();
    await clock.settle();
    expect(receivedIn(conversationId)).toEqual([1, 2]);
  });

  test("deliveries that were held are sent before later ones, once they are resumed", async () => {
    const webhook = await ordered(receiver.url);
    const conversationId = newConversation();
    await change(webhook, { status: "DISABLED" });
    await raise(webhook, conversationId, 3);
    await mutate(system(webhook.partition), (caller) =>
      enableWebhook(caller, webhook.id, { held: "RESUME" }),
    );
    await raiseMessage(webhook.partition, conversationId, 4);
    await clock.settle();
    await clock.settleWorker();
    await clock.advance(10);
    await clock.settleWorker();
    expect(receivedIn(conversationId)).toEqual([1, 2, 3, 4]);
  });

  test("a replay keeps the order of each conversation", async () => {
    const webhook = await ordered(receiver.url);
    const conversations = [newConversation(), newConversation()];
    for (const conversationId of conversations) await raise(webhook, conversationId, 4);
    const later = await newWebhook(receiver.url, webhook.partition, { ordering: "conversation" });
    await clock.settle();
    receiver.requests.length = 0;

    for (const { id } of [webhook, later])
      await mutate(system(webhook.partition), (caller) =>
        replayWebhook(caller, id, { since: new Date(0), dryRun: false }),
      );
    await clock.settleWorker();
    await clock.settle();
    await clock.advance(10);
    await clock.settleWorker();
    for (const id of [webhook.id, later.id]) {
      expect(await countByStatus(webhook.partition, id)).toEqual({ DELIVERED: 8 });
      const own = await db().delivery.findMany({ where: { webhookId: id } });
      const ids = new Set(own.map((delivery) => delivery.id));
      const requests = receiver.requests.filter(({ headers }) =>
        ids.has(String(headers["x-service-delivery-id"])),
      );
      for (const conversationId of conversations)
        expect(receivedIn(conversationId, requests)).toEqual([1, 2, 3, 4]);
    }
  });

  test("without ordering again, what waits in a lane is sent", async () => {
    const webhook = await ordered(receiver.url);
    const conversationId = newConversation();
    const { fix } = failFirstOf(conversationId);
    await raise(webhook, conversationId, 3);
    await clock.settle();
    await change(webhook, { ordering: "none" });
    await raiseMessage(webhook.partition, conversationId, 4);
    await clock.settle();
    expect(receivedIn(conversationId)).toEqual([1, 4]);

    fix();
    await clock.advance(40);
    await clock.settleWorker();
    expect(receivedIn(conversationId)).toEqual([1, 4, 1, 2, 3]);
  });

  test("without ordering again, a delivery fails after its last attempt instead of being held", async () => {
    const webhook = await ordered("http://127.0.0.1:9/", { onExhausted: "hold" });
    const [delivery] = await raise(webhook, newConversation(), 1);
    if (!delivery) throw new Error("nothing was raised");
    await change(webhook, { ordering: "none" });
    const data = { automaticCount: 7, attemptCount: 7 };
    await db().delivery.updateMany({ where: { id: delivery.id }, data });
    const claimed = await claimDelivery(delivery);
    if (!claimed) throw new Error("nothing was claimed");
    const result = { errorCode: "timeout" as const, durationMs: 1 };
    await recordAttempts([endedAttempt(claimed, result, new Date())]);
    expect((await findDelivery(webhook.partition, delivery.id)).status).toBe("FAILED");
  });

  test("a lane whose first delivery was deleted continues", async () => {
    const webhook = await ordered(receiver.url);
    const conversationId = newConversation();
    failFirstOf(conversationId);
    const [first] = await raise(webhook, conversationId, 2);
    await clock.settle();
    await db().delivery.deleteMany({ where: { id: first?.id ?? "" } });
    await clock.settleWorker();
    await clock.settle();
    expect(receivedIn(conversationId)).toEqual([1, 2]);
  });

  test("an event without a conversation waits for none", async () => {
    const webhook = await ordered(receiver.url);
    const conversationId = newConversation();
    failFirstOf(conversationId);
    await raise(webhook, conversationId, 2);
    await mutate(system(webhook.partition), (caller) =>
      recordEvent(caller, "customer.created", { id: newId("customer") }),
    );
    await clock.settle();
    expect(receiver.requests.map(({ headers }) => headers["x-service-event-type"]).sort()).toEqual([
      "customer.created",
      "message.received",
    ]);
  });
});

describe("without a clock", () => {
  // Nothing that another test left behind.
  beforeEach(async () => {
    await pool().query("UPDATE deliveries SET status = 'DISCARDED', next_attempt_at = NULL");
  });
  const claim = () =>
    claimDeliveries({
      limit: 100,
      cursor: startOfScan,
      allowances: new Map(),
      defaultAllowance: 100,
      overdueSeconds: 0,
    });

  test("a webhook without ordering has no lanes, and takes no positions", async () => {
    const webhook = await newWebhook("http://127.0.0.1:9/");
    const position = async () =>
      (await pool().query<{ last_value: string }>("SELECT last_value FROM delivery_positions"))
        .rows[0]?.last_value;
    const before = await position();
    const [delivery] = await raise(webhook, newConversation(), 1);
    expect(await findDelivery(webhook.partition, delivery?.id ?? "")).toMatchObject({
      conversationId: null,
      position: null,
    });
    expect(await position()).toBe(before);
  });

  test("a claim takes the first of each lane, and parks what it read behind it", async () => {
    const webhook = await ordered("http://127.0.0.1:9/");
    const conversations = [newConversation(), newConversation(), newConversation()];
    const firsts = [];
    for (const conversationId of conversations)
      firsts.push((await raise(webhook, conversationId, 4))[0]?.id);

    const { deliveries, parked } = await claim();
    expect(deliveries.map(({ id }) => id).sort()).toEqual(firsts.toSorted());
    expect(parked).toBe(9);
    expect(await claim()).toMatchObject({ deliveries: [], parked: 0 });
    expect(await sweepLanes(100)).toBe(0);
  });

  test("what was parked while the one before it was recorded is released", async () => {
    const webhook = await ordered("http://127.0.0.1:9/");
    const [first, second] = await raise(webhook, newConversation(), 2);
    if (!first || !second) throw new Error("nothing was raised");
    const claimed = await claimDelivery(first);
    if (!claimed) throw new Error("nothing was claimed");
    expect(await claimDelivery(second)).toBeNull();

    // The process ends between the record and the release.
    const result = { statusCode: 200, response: "", durationMs: 1 };
    await recordAttempts([endedAttempt(claimed, result, new Date())]);
    expect(await claimDelivery(second)).toBeNull();
    expect(await sweepLanes(100)).toBe(1);
    expect(await claimDelivery(second)).not.toBeNull();
  });

  test("what is recovered waits for a later event of its conversation that is in flight", async () => {
    const webhook = await ordered("http://127.0.0.1:9/");
    const events = await raise(webhook, newConversation(), 5);
    const [first, second, third, fourth] = events;
    if (!first || !second || !third || !fourth) throw new Error("nothing was raised");
    await db().delivery.updateMany({
      where: { id: { in: [first.id, second.id] } },
      data: { status: "FAILED", nextAttemptAt: null, attemptCount: 8, automaticCount: 8 },
    });
    const inFlight = await claimDelivery(third);
    if (!inFlight) throw new Error("the third could not be claimed");
    const since = new Date(0);
    await mutate(system(webhook.partition), (caller) =>
      recoverDeliveries(caller, webhook.id, { since, until: undefined, dryRun: false }),
    );
    await workOffBacklog(500);
    expect(await countByStatus(webhook.partition, webhook.id)).toEqual({ PENDING: 5 });
    for (const delivery of events) expect(await claimDelivery(delivery)).toBeNull();
    expect(await claim()).toMatchObject({ deliveries: [] });

    const result = { statusCode: 200, response: "", durationMs: 1 };
    const attempt = endedAttempt(inFlight, result, new Date());
    expect(await releaseLanes([attempt], await recordAttempts([attempt]))).toEqual([first]);
    expect(await claimDelivery(fourth)).toBeNull();
    expect(await claimDelivery(first)).not.toBeNull();
  });

  test("a lane whose first delivery is locked holds up no other, neither when lanes are released nor when they are swept", async () => {
    await db().delivery.deleteMany();
    const webhook = await ordered("http://127.0.0.1:9/");
    const lanes = [];
    for (let lane = 0; lane < 3; lane++) {
      const [first, second] = await raise(webhook, newConversation(), 2);
      const claimed = first && (await claimDelivery(first));
      if (!claimed || !second) throw new Error("the first delivery could not be claimed");
      expect(await claimDelivery(second)).toBeNull();
      lanes.push({
        attempt: endedAttempt(
          claimed,
          { statusCode: 200, response: "", durationMs: 1 },
          new Date(),
        ),
        second,
      });
    }
    const attempts = lanes.map(({ attempt }) => attempt);
    const recorded = await recordAttempts(attempts);
    const [released, locked, swept] = lanes.map(({ second }) => second.id) as [
      string,
      string,
      string,
    ];
    const client = await pool().connect();
    try {
      await client.query("BEGIN");
      await client.query("SELECT FROM deliveries WHERE id = $1 FOR UPDATE", [locked]);
      const found = await releaseLanes(attempts.slice(0, 2), recorded.slice(0, 2));
      expect(found.map(({ id }) => id)).toEqual([released]);
      expect(await sweepLanes(500)).toBe(1);
      expect((await findDelivery(webhook.partition, swept)).nextAttemptAt).not.toBeNull();
    } finally {
      await client.query("ROLLBACK");
      client.release();
    }
    expect(await sweepLanes(500)).toBe(1);
    expect((await findDelivery(webhook.partition, locked)).nextAttemptAt).not.toBeNull();
  });

  test("one that became due while the one before it was recorded is woken", async () => {
    const webhook = await ordered("http://127.0.0.1:9/");
    const [first, second] = await raise(webhook, newConversation(), 2);
    if (!first || !second) throw new Error("nothing was raised");
    const claimed = await claimDelivery(first);
    if (!claimed) throw new Error("nothing was claimed");
    const attempt = endedAttempt(
      claimed,
      { statusCode: 200, response: "", durationMs: 1 },
      new Date(),
    );
    expect(await releaseLanes([attempt], await recordAttempts([attempt]))).toEqual([second]);
  });

  test("concurrent messages arrive by their sequence, whatever several workers do", async () => {
    const receiver = await startReceiver();
    const { partition } = await newWebhook(receiver.url, undefined, {
      events: ["message.received"],
      ordering: "conversation",
    });
    const identity = system(partition);
    const conversations: string[] = [];
    for (let index = 0; index < 4; index++) {
      const { id } = await mutate(identity, (caller) =>
        createConversation(caller, createConversationBody.parse({ channelId: "web" })),
      );
      conversations.push(id);
    }
    const workers = Array.from({ length: 3 }, () => startDelivering({ pollMs: 20 }));
    const post = (conversationId: string, isInOneStatement: boolean) =>
      isInOneStatement
        ? postMessageInOneStatement(identity, conversationId, { text: "Hi" }, null, JSON.stringify)
        : mutate(identity, (caller) => postMessage(caller, conversationId, { text: "Hi" }));
    await Promise.all(
      Array.from({ length: 120 }, (_, index) =>
        post(conversations[index % 4] ?? "", index % 3 > 0),
      ),
    );
    await receiver.received(120);
    await Promise.all(workers.map((worker) => worker.stop()));
    for (const conversationId of conversations)
      expect(receivedIn(conversationId, receiver.requests)).toEqual(
        Array.from({ length: 30 }, (_, index) => index + 1),
      );
    await receiver.close();
  });

  test("other webhooks of the tenant are not ordered with it", async () => {
    const partition = await newPartition();
    await newWebhook("http://127.0.0.1:9/", partition, { ordering: "conversation" });
    await newWebhook("http://127.0.0.1:9/", partition);
    const conversationId = newConversation();
    for (let sequence = 1; sequence <= 3; sequence++)
      await raiseMessage(partition, conversationId, sequence);
    const { deliveries } = await claim();
    expect(deliveries).toHaveLength(4);
  });
});
