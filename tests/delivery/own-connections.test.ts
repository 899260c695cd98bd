import pg from "pg";
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { startDelivering } from "@/lib/deliveries/engine/deliver";
import { databaseWaits } from "@/lib/platform/database-waits";
import { deliveryPool, pool, poolState, setProcessRole } from "@/lib/platform/db";
import { env } from "@/lib/platform/env";
import { workerSettings } from "@/lib/scheduling/worker-settings";
import { type Receiver, startReceiver } from "../support/receiver";
import { newWebhook, raiseBacklog } from "../support/webhooks";

vi.hoisted(() => {
  process.env.DATABASE_POOL_SIZE = "2";
});
setProcessRole("worker", workerSettings);
// A statement that needs the pool must not go on without it.
databaseWaits.freeConnection = 600_000;

const observer = new pg.Client({ connectionString: env().DATABASE_URL });
await observer.connect();
afterAll(() => observer.end());

describe("a worker whose pool is used up by jobs", () => {
  let receiver: Receiver;
  let jobs: pg.PoolClient[] = [];
  let delivering: ReturnType<typeof startDelivering>;

  beforeEach(async () => {
    receiver = await startReceiver((response) => {
      response.writeHead(200).end(JSON.stringify({ reply: { text: "Hello" } }));
    });
  });
  afterEach(async () => {
    for (const job of jobs.splice(0)) job.release();
    await delivering.stop();
    await receiver.close();
  });

  async function start(pollMs: number): Promise<void> {
    jobs = [await pool().connect(), await pool().connect()];
    delivering = startDelivering({ pollMs });
  }

  async function delivered(webhookId: string): Promise<number> {
    const text =
      "SELECT count(*)::int AS count FROM deliveries WHERE webhook_id = $1 AND status = 'DELIVERED'";
    return (await observer.query(text, [webhookId])).rows[0].count;
  }

  const arrives = (webhookId: string, expected: number) =>
    expect.poll(() => delivered(webhookId), { timeout: 60_000 }).toBe(expected);

  test("claims, sends and records deliveries", async () => {
    const { partition, id } = await newWebhook(receiver.url);
    await raiseBacklog(partition, id, 300, new Date());
    await start(20);
    await arrives(id, 300);
    expect(receiver.requests).toHaveLength(300);
    expect(deliveryPool().totalCount).toBeLessThanOrEqual(2);
    expect(poolState().max).toBe(4);
  });

  test("releases the next deliveries of lanes, next to those of other webhooks", async () => {
    const plain = await newWebhook(receiver.url);
    await raiseBacklog(plain.partition, plain.id, 300, new Date());
    const ordered = await newWebhook(receiver.url, undefined, { ordering: "conversation" });
    await raiseBacklog(ordered.partition, ordered.id, 6, new Date(Date.now() - 60_000));
    const place = `UPDATE deliveries d SET conversation_id = 'cnv_' || (n.number / 3), position = n.number
      FROM (SELECT id, row_number() OVER (ORDER BY id) - 1 AS number FROM deliveries WHERE webhook_id = $1) n WHERE d.id = n.id`;
    await observer.query(place, [ordered.id]);
    await start(20);
    await arrives(ordered.id, 6);
    await arrives(plain.id, 300);
  });

  test("posts replies, next to deliveries of other webhooks", async () => {
    const replying = await newWebhook(receiver.url, undefined, { acceptsReplies: true });
    // More than may be unrecorded.
    await raiseBacklog(replying.partition, replying.id, 200, new Date(Date.now() - 60_000));
    const payload = '{"data":{"object":{"id":"msg_1","conversationId":"cnv_1"}}}';
    const { tenantId } = replying.partition;
    await observer.query("UPDATE events SET payload = $2 WHERE tenant_id = $1", [
      tenantId,
      payload,
    ]);
    const plain = await newWebhook(receiver.url);
    await raiseBacklog(plain.partition, plain.id, 100, new Date());
    await start(20);
    await arrives(plain.id, 100);
    await arrives(replying.id, 200);
  });

  test("sends single deliveries immediately", async () => {
    const { partition, id } = await newWebhook(receiver.url);
    const raised = await raiseBacklog(partition, id, 12, new Date(Date.now() + 3_600_000));
    await start(600_000);
    let expected = 0;
    const sent = async (some: typeof raised) => {
      const text = "UPDATE deliveries SET next_attempt_at = now() WHERE id = ANY ($1)";
      await observer.query(text, [some.map((delivery) => delivery.id)]);
      delivering.wake(some);
      expected += some.length;
      await arrives(id, expected);
    };
    await sent(raised.slice(0, 2));
    // The first of these may find the worker awake.
    for (const delivery of raised.slice(2)) await sent([delivery]);
  });
});
