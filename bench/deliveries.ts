import { execFile } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { recordEvent } from "@/lib/events/record-event";
import { mutate, type Partition, system } from "@/lib/platform/caller";
import { closeDatabase, db } from "@/lib/platform/db";
import { newId } from "@/lib/resources/ids";
import { createWebhook } from "@/lib/webhooks/service";
import type { Postgres } from "@/server/embedded/postgres";
import {
  type Environment,
  median,
  newTenant,
  prepareDatabase,
  type Row,
  residentMegabytes,
  start,
} from "./setting";

// The real worker, on a backlog, against a loop that only signs and sends; and how
// long an event takes from its commit to its receiver on an idle system.

export type DeliveryOptions = { rounds: number; deliveries: number };

const receiverPort = 4_805;
const receiverUrl = `http://127.0.0.1:${receiverPort}/`;
const webhooks = 10;
const eventsPerTransaction = 200;
const atOnce = 64;
const idleEvents = 200;
const idlePauseMs = 25;
const execute = promisify(execFile);

/** @returns the rows of the table */
export async function measureDeliveries(
  postgres: Postgres,
  { rounds, deliveries }: DeliveryOptions,
): Promise<Row[]> {
  const environment = await prepareDatabase(postgres, "bench_deliveries");
  const isUp = () =>
    fetch(receiverUrl).then(
      () => true,
      () => false,
    );
  const receiver = await start(
    ["--import", "tsx", "bench/receiver.ts"],
    { PORT: String(receiverPort) },
    isUp,
  );
  try {
    const rates = { loop: [] as number[], one: [] as number[], two: [] as number[] };
    const resident: number[] = [];
    // The first round warms up the database, and is not counted.
    for (let round = 0; round <= rounds; round++) {
      const loop = await runLoop(deliveries);
      const one = await runWorkers(1, deliveries, environment, resident);
      const two = await runWorkers(2, deliveries, environment, resident);
      process.stdout.write(
        `${loop.toFixed(0)}/s by the bare loop, ${one.toFixed(0)}/s by one worker, ${two.toFixed(0)}/s by two\n`,
      );
      if (round === 0) continue;
      rates.loop.push(loop);
      rates.one.push(one);
      rates.two.push(two);
    }
    const [loop, one, two] = [median(rates.loop), median(rates.one), median(rates.two)];
    const idleMs = await measureIdle(environment);
    const p50 = median(idleMs);
    return [
      { name: "bare undici POST loop, 64 at a time", figure: `${loop.toFixed(0)}/s` },
      {
        name: "deliveries by one worker, to the bare loop",
        figure: `${one.toFixed(0)}/s`,
        ratio: one / loop,
        goal: "≥ 0.35",
        isMet: one / loop >= 0.35,
      },
      {
        name: "deliveries by two workers, to one",
        figure: `${two.toFixed(0)}/s`,
        ratio: two / one,
      },
      {
        name: "commit to arrival when idle, p50",
        figure: `${p50.toFixed(2)} ms`,
        goal: "< 2 ms",
        isMet: p50 < 2,
      },
      { name: "worker resident under this load", figure: `${Math.max(...resident)} MB` },
    ];
  } finally {
    await receiver.stop();
    await closeDatabase();
  }
}

const message = () => ({
  ...{
    id: newId("message"),
    environment: "live",
    conversationId: newId("conversation"),
    sequence: 1,
    direction: "INBOUND",
  },
  ...{
    author: { type: "CUSTOMER", id: null, name: null },
    text: "Where is my order? It should have been here yesterday.",
  },
  ...{ externalId: null, metadata: {}, createdAt: new Date().toISOString() },
});

async function runLoop(count: number): Promise<number> {
  const body = JSON.stringify({
    id: newId("event"),
    type: "message.received",
    data: { object: message() },
  });
  const args = [
    "--import",
    "tsx",
    "bench/post-loop.ts",
    receiverUrl,
    String(count),
    String(atOnce),
    body,
  ];
  return Number((await execute(process.execPath, args)).stdout);
}

async function newSubscriber(url: string, count: number): Promise<Partition> {
  const { partition } = await newTenant();
  const input = { url, events: ["*"], metadata: {}, description: null };
  for (let index = 0; index < count; index++)
    await mutate(system(partition), (caller) => createWebhook(caller, input));
  return partition;
}

/** @returns deliveries per second, from the first arrival until the last one is recorded */
async function runWorkers(
  count: number,
  deliveries: number,
  environment: Environment,
  resident: number[],
): Promise<number> {
  const partition = await newSubscriber(receiverUrl, webhooks);
  for (let left = deliveries / webhooks; left > 0; left -= eventsPerTransaction) {
    await mutate(system(partition), async (caller) => {
      for (let index = 0; index < Math.min(eventsPerTransaction, left); index++)
        await recordEvent(caller, "message.received", message());
    });
  }
  await db().$executeRaw`VACUUM ANALYZE deliveries`;
  await fetch(receiverUrl);

  const isUp = async () => true;
  const workers = await Promise.all(
    Array.from({ length: count }, () => start(["dist/worker.js"], environment, isUp)),
  );
  const where = { ...partition, status: "PENDING" as const };
  while ((await db().delivery.findFirst({ where, select: { id: true } })) !== null) await sleep(20);
  const doneAtMs = Date.now();
  resident.push(...workers.map(residentMegabytes));
  await Promise.all(workers.map(({ stop }) => stop()));
  const { firstAtMs } = (await (await fetch(receiverUrl)).json()) as { firstAtMs: number };
  return deliveries / ((doneAtMs - firstAtMs) / 1000);
}

/**
 * One event after the other, each when the one before has long arrived. Both ends are seen from
 * this process.
 */
async function measureIdle(environment: Environment): Promise<number[]> {
  let arrivedAt = 0;
  const receiver = createServer((request, response) => {
    arrivedAt = performance.now();
    request.resume();
    response.end();
  });
  receiver.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  const partition = await newSubscriber(
    `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`,
    1,
  );
  const worker = await start(["dist/worker.js"], environment, async () => true);
  const latencies: number[] = [];
  try {
    for (let index = 0; index < idleEvents; index++) {
      arrivedAt = 0;
      await mutate(system(partition), (caller) =>
        recordEvent(caller, "message.received", message()),
      );
      const committedAt = performance.now();
      while (arrivedAt === 0) await sleep(1);
      // The first ones find a worker that has only just started.
      if (index >= idleEvents / 4) latencies.push(arrivedAt - committedAt);
      await sleep(idlePauseMs);
    }
  } finally {
    await worker.stop();
    receiver.closeAllConnections();
    receiver.close();
  }
  return latencies;
}
