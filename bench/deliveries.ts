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
import { withTemporaryPostgres } from "@/server/embedded/temporary-postgres";
import {
  cpuMicroseconds,
  postmasterPid,
  residentMegabytes,
  treeCpuMicroseconds,
} from "./processes";
import { canLimitCpu, limitCpu } from "./quota";
import {
  type Environment,
  median,
  newTenant,
  percentile,
  prepareDatabase,
  type Running,
  responds,
  type Sizes,
  start,
} from "./setting";
import { atLeast, atMost, type Line, line, type Measured, say } from "./table";

// The real worker, on a backlog, against a loop that only signs and sends; and how
// long an event takes from its commit to its receiver on an idle system.

export const receiverPort = 4_805;
export const receiverUrl = `http://127.0.0.1:${receiverPort}/`;
const webhooks = 10;
const eventsPerTransaction = 200;
export const atOnce = 64;
/** A worker compiles the code that sends single deliveries during about a thousand of them. */
const idleEvents = 1_600;
const idlePauseMs = 25;
/** Two workers with this share of a core each leave enough of two for PostgreSQL and the receiver. */
const shareOfCore = 0.3;
const limitedRounds = 3;
const execute = promisify(execFile);

export const measureDeliveries = ({ rounds, deliveries }: Sizes): Promise<Measured> =>
  withTemporaryPostgres(async (postgres) => {
    const environment = await prepareDatabase(postgres, "bench_deliveries");
    const postgresPid = await postmasterPid(environment.DATABASE_URL ?? "");
    const receiver = await startReceiver();
    try {
      const loops: number[] = [];
      const ones: Drained[] = [];
      const twos: Drained[] = [];
      // The first round warms up the database, and is not counted.
      for (let round = 0; round <= rounds; round++) {
        const loop = await runLoop(deliveries);
        const one = await drain(1, deliveries, environment, postgresPid);
        const two = await drain(2, deliveries, environment, postgresPid);
        say(
          `${loop.toFixed(0)}/s by the bare loop, ${one.rate.toFixed(0)}/s by one worker, ${two.rate.toFixed(0)}/s by two`,
        );
        if (round === 0) continue;
        loops.push(loop);
        ones.push(one);
        twos.push(two);
      }
      const idleMs = await measureIdle(environment, Math.min(idleEvents, deliveries / 5));
      const measured = summarize(median(loops), medians(ones), medians(twos), idleMs);
      if (canLimitCpu())
        await addLimitedWorkers(measured, (count) =>
          drain(count, Math.min(deliveries * 10, 100_000), environment, postgresPid, shareOfCore),
        );
      else say("Workers with a share of a core were not measured: that takes Linux and root.");
      return measured;
    } finally {
      await receiver.stop();
      await closeDatabase();
    }
  });

/** What draining a backlog cost. CPU time is per delivery. */
type Drained = { rate: number; workerCpu: number; postgresCpu: number; residentMb: number };

const medians = (all: Drained[]): Drained => {
  const of = (name: keyof Drained) => median(all.map((one) => one[name]));
  return {
    rate: of("rate"),
    workerCpu: of("workerCpu"),
    postgresCpu: of("postgresCpu"),
    residentMb: of("residentMb"),
  };
};

function summarize(loop: number, one: Drained, two: Drained, idleMs: number[]): Measured {
  const title = "deliveries of a backlog";
  // Without the very first ones, which find a worker that has only just started.
  const first = idleTimes(idleMs.slice(50, 200));
  const later = idleTimes(idleMs.slice(-Math.ceil(idleMs.length / 3)));
  const cost = ({ workerCpu, postgresCpu }: Drained) =>
    `${workerCpu.toFixed(0)} + ${postgresCpu.toFixed(0)} µs`;
  return {
    rows: [
      { name: `bare undici POST loop, ${atOnce} at a time`, figure: `${loop.toFixed(0)}/s` },
      {
        name: "deliveries by one worker, to the bare loop",
        figure: `${one.rate.toFixed(0)}/s`,
        ratio: one.rate / loop,
        ...atLeast(one.rate / loop, 0.5),
      },
      {
        name: "deliveries by two workers, to one",
        figure: `${two.rate.toFixed(0)}/s`,
        ratio: two.rate / one.rate,
        ...atLeast(two.rate / one.rate, 1),
      },
      { name: "CPU per delivery, one worker + PostgreSQL", figure: cost(one) },
      { name: "CPU per delivery, two workers + PostgreSQL", figure: cost(two) },
      {
        name: "commit to arrival when idle, p50, a worker's first 200",
        figure: `${first.p50Ms.toFixed(2)} ms`,
        ...atMost(first.p50Ms, 1.5, " ms"),
      },
      {
        name: "the same, after its first thousand",
        figure: `${later.p50Ms.toFixed(2)} ms`,
        ...atMost(later.p50Ms, 1.5, " ms"),
      },
      {
        name: "worker resident under this load",
        figure: `${one.residentMb} MB`,
        ...atMost(one.residentMb, 180, " MB"),
      },
    ],
    lines: [
      line(title, "bare undici loop", { perSecond: loop, ratioToFloor: 1 }),
      lineOf(title, "one worker", one, loop),
      lineOf(title, "two workers", two, loop),
      line("commit to arrival, idle", "one worker, its first 200", first),
      line("commit to arrival, idle", "one worker, after its first thousand", later),
    ],
  };
}

const idleTimes = (ms: number[]) => ({
  p50Ms: percentile(ms, 0.5),
  p99Ms: percentile(ms, 0.99),
});

function lineOf(title: string, variant: string, drained: Drained, floor: number): Line {
  const { rate, workerCpu, residentMb } = drained;
  return line(title, variant, {
    ...{ perSecond: rate, cpuMicroseconds: workerCpu, residentMb, ratioToFloor: rate / floor },
  });
}

/**
 * Two workers compared with one while PostgreSQL and the receiver do not have to wait for a core.
 * The backlog is long, because each worker compiles its code first.
 */
async function addLimitedWorkers(
  { rows, lines }: Measured,
  drainWith: (workers: number) => Promise<Drained>,
): Promise<void> {
  const ones: Drained[] = [];
  const twos: Drained[] = [];
  for (let round = 0; round < limitedRounds; round++) {
    ones.push(await drainWith(1));
    twos.push(await drainWith(2));
  }
  const [one, two] = [medians(ones), medians(twos)];
  const title = `deliveries of a backlog, each worker with ${shareOfCore * 100}% of a core`;
  rows.push({
    name: `deliveries by two workers with ${shareOfCore * 100}% of a core each, to one`,
    figure: `${two.rate.toFixed(0)}/s`,
    ratio: two.rate / one.rate,
    ...atLeast(two.rate / one.rate, 1.7),
  });
  lines.push(
    lineOf(title, "one worker", one, one.rate),
    lineOf(title, "two workers", two, one.rate),
  );
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

export const payload = (): string =>
  JSON.stringify({ id: newId("event"), type: "message.received", data: { object: message() } });

export const startReceiver = (): Promise<Running> =>
  start(
    ["--import", "tsx", "bench/receiver.ts"],
    { PORT: String(receiverPort) },
    responds(receiverUrl),
  );

async function runLoop(count: number): Promise<number> {
  const args = [
    "--import",
    "tsx",
    "bench/post-loop.ts",
    receiverUrl,
    String(count),
    String(atOnce),
    payload(),
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

/**
 * The rate counts from the first arrival until the last one is recorded. Each worker has up to
 * `share` of a core.
 */
export async function drain(
  count: number,
  deliveries: number,
  environment: Environment,
  postgresPid: number,
  share = 1,
): Promise<Drained> {
  const partition = await newSubscriber(receiverUrl, webhooks);
  for (let left = deliveries / webhooks; left > 0; left -= eventsPerTransaction) {
    await mutate(system(partition), async (caller) => {
      for (let index = 0; index < Math.min(eventsPerTransaction, left); index++)
        await recordEvent(caller, "message.received", message(), { conversation: null });
    });
  }
  await db().$executeRaw`VACUUM ANALYZE deliveries`;
  await fetch(`${receiverUrl}reset`);
  const received = async () =>
    (await (await fetch(receiverUrl)).json()) as { count: number; firstAtMs: number };

  const isUp = async () => true;
  const workers = await Promise.all(
    Array.from({ length: count }, () => start(["dist/worker.js"], environment, isUp)),
  );
  const limits = share < 1 ? workers.map(({ pid }) => limitCpu(pid, share)) : [];
  // What starting a worker costs is not counted.
  while ((await received()).count === 0) await sleep(5);
  const sum = (of: (pid: number) => number) =>
    workers.reduce((total, { pid }) => total + of(pid), 0);
  const before = { worker: sum(cpuMicroseconds), postgres: treeCpuMicroseconds(postgresPid) };
  // While the backlog is delivered, only the receiver is asked, because PostgreSQL is measured too.
  while ((await received()).count < deliveries) await sleep(20);
  const where = { ...partition, status: "PENDING" as const };
  while ((await db().delivery.findFirst({ where, select: { id: true } })) !== null) await sleep(5);
  const doneAtMs = Date.now();
  const postgresCpu = (treeCpuMicroseconds(postgresPid) - before.postgres) / deliveries;
  const workerCpu = (sum(cpuMicroseconds) - before.worker) / deliveries;
  const residentMb = Math.max(...workers.map(({ pid }) => residentMegabytes(pid)));
  await Promise.all(workers.map(({ stop }) => stop()));
  for (const remove of limits) remove();
  const { firstAtMs } = await received();
  const rate = deliveries / ((doneAtMs - firstAtMs) / 1000);
  return { rate, workerCpu, postgresCpu, residentMb };
}

/**
 * Raises one event after the other, long after the previous one has arrived. Both times are
 * measured in this process.
 */
async function measureIdle(environment: Environment, count: number): Promise<number[]> {
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
    for (let index = 0; index < count; index++) {
      arrivedAt = 0;
      await mutate(system(partition), (caller) =>
        recordEvent(caller, "message.received", message(), { conversation: null }),
      );
      const committedAt = performance.now();
      while (arrivedAt === 0) await sleep(1);
      latencies.push(arrivedAt - committedAt);
      await sleep(idlePauseMs);
    }
  } finally {
    await worker.stop();
    receiver.closeAllConnections();
    receiver.close();
  }
  return latencies;
}
