import pg from "pg";
import { afterAll, expect, test, vi } from "vitest";
import { startDelivering } from "@/lib/deliveries/engine/deliver";
import { deliveryPool, pool, poolState, setProcessRole } from "@/lib/platform/db";
import { env } from "@/lib/platform/env";
import { workerSettings } from "@/lib/scheduling/worker-settings";
import { startReceiver } from "../support/receiver";
import { newWebhook, raiseBacklog } from "../support/webhooks";

vi.hoisted(() => {
  process.env.DATABASE_POOL_SIZE = "2";
});
setProcessRole("worker", workerSettings);

const cleanups: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup();
});

test("a worker whose pool is used up by jobs claims, sends and records deliveries", async () => {
  const receiver = await startReceiver();
  cleanups.push(receiver.close);
  const { partition, id } = await newWebhook(receiver.url);
  await raiseBacklog(partition, id, 300, new Date());
  const jobs = [await pool().connect(), await pool().connect()];
  cleanups.push(async () => {
    for (const job of jobs) job.release();
  });

  const delivering = startDelivering({ pollMs: 20 });
  cleanups.push(() => delivering.stop());

  const observer = new pg.Client({ connectionString: env().DATABASE_URL });
  await observer.connect();
  cleanups.push(() => observer.end());
  const delivered = async () => {
    const text =
      "SELECT count(*)::int AS count FROM deliveries WHERE webhook_id = $1 AND status = 'DELIVERED'";
    return (await observer.query(text, [id])).rows[0].count;
  };
  await expect.poll(delivered, { timeout: 60_000 }).toBe(300);
  expect(receiver.requests).toHaveLength(300);
  expect(deliveryPool().totalCount).toBeLessThanOrEqual(2);
  expect(poolState().max).toBe(4);
});
