import { fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { mutate, system } from "@/lib/platform/caller";
import { closeDatabase, db } from "@/lib/platform/db";
import { createWebhook } from "@/lib/webhooks/service";
import { withTemporaryPostgres } from "@/server/embedded/temporary-postgres";
import {
  cpuMicroseconds,
  monotonicMs,
  postmasterPid,
  residentMegabytes,
  treeCpuMicroseconds,
  treeMegabytes,
} from "./processes";
import type { Published, PublishOrder } from "./publisher";
import {
  type Environment,
  median,
  newTenant,
  percentile,
  prepareDatabase,
  type Running,
  responds,
  type Sizes,
  seedConversations,
  start,
} from "./setting";
import { atMost, line, type Measured, say } from "./table";

// The whole product as a sender of webhooks: messages are published through the API for ten
// tenants with one endpoint each, and counted at their receiver. PostgreSQL writes to disk before
// it confirms, and allows as many connections as by default, as in production.

const tenants = 10;
const conversationsPerTenant = 50;
const ports = { web: 4_808, receiver: 4_809 };
const webUrl = `http://127.0.0.1:${ports.web}`;
const receiverUrl = `http://127.0.0.1:${ports.receiver}`;
const maximumRounds = 3;
const idleCount = 200;
const idlePauseMs = 25;
const asInProduction = {
  ...{ fsync: "on", synchronous_commit: "on", full_page_writes: "on" },
  max_connections: "100",
};

/** Of one round. CPU is in seconds per 10,000 messages. */
type Round = Record<
  | "accepted"
  | "acceptedPaused"
  | "drained"
  | "responseP50"
  | "responseP99"
  | "arrivalP50"
  | "arrivalP99"
  | "ownCpu"
  | "postgresCpu",
  number
>;

export const measurePublishing = ({ rounds, deliveries, connections }: Sizes): Promise<Measured> =>
  withTemporaryPostgres(async (postgres) => {
    const environment = await prepareDatabase(postgres, "bench_publish");
    const postgresPid = await postmasterPid(environment.DATABASE_URL ?? "");
    const conversations = await seed();
    // PostgreSQL's memory would include that of this process's connections.
    await closeDatabase();
    const web = await startWeb(environment);
    const receiver = await startReceiver();
    let worker = await startWorker(environment);
    try {
      const order = { origin: webUrl, conversations, count: deliveries, connections, pauseMs: 0 };
      await publishAndReceive({ ...order, count: Math.ceil(deliveries / 5) });

      const all: Round[] = [];
      for (let round = 0; round < Math.min(rounds, maximumRounds); round++) {
        const own = () => cpuMicroseconds(web.pid) + cpuMicroseconds(worker.pid);
        const before = { own: own(), postgres: treeCpuMicroseconds(postgresPid) };
        const running = await publishAndReceive(order);
        const per10k = (microseconds: number) => (microseconds / 1e6 / deliveries) * 10_000;
        const ownCpu = per10k(own() - before.own);
        const postgresCpu = per10k(treeCpuMicroseconds(postgresPid) - before.postgres);

        await worker.stop();
        await reset();
        const paused = await publish(order);
        worker = await startWorker(environment);
        const arrivals = await receive(deliveries);
        const [firstAt, lastAt] = [arrivals[0]?.[1] ?? 0, arrivals.at(-1)?.[1] ?? 0];
        all.push({
          accepted: deliveries / running.published.seconds,
          acceptedPaused: deliveries / paused.seconds,
          drained: deliveries / ((lastAt - firstAt) / 1_000),
          responseP50: percentile(running.published.durationsMs, 0.5),
          responseP99: percentile(running.published.durationsMs, 0.99),
          arrivalP50: percentile(running.untilArrivalMs, 0.5),
          arrivalP99: percentile(running.untilArrivalMs, 0.99),
          ...{ ownCpu, postgresCpu },
        });
        say(textOf(all.at(-1)));
      }
      const idle = await publishAndReceive({
        ...order,
        ...{ count: idleCount, connections: 1, pauseMs: idlePauseMs },
      });
      const residentMb = residentMegabytes(web.pid) + residentMegabytes(worker.pid);
      return summarize(medians(all), idle.untilArrivalMs, residentMb, treeMegabytes(postgresPid));
    } finally {
      await Promise.all([web.stop(), receiver.stop(), worker.stop()]);
    }
  }, asInProduction);

/** @returns conversations of all tenants, in turn */
async function seed(): Promise<PublishOrder["conversations"]> {
  const seeded: PublishOrder["conversations"][] = [];
  for (let index = 0; index < tenants; index++) {
    const { partition, key } = await newTenant();
    const url = `${receiverUrl}/${index}`;
    const input = { url, events: ["message.received"], metadata: {}, description: null };
    await mutate(system(partition), (caller) => createWebhook(caller, input));
    const id = await seedConversations(partition.tenantId, conversationsPerTenant);
    seeded.push(Array.from({ length: conversationsPerTenant }, (_, n) => ({ id: id(n + 1), key })));
  }
  await db().$executeRaw`ANALYZE`;
  return Array.from({ length: conversationsPerTenant }, (_, n) =>
    seeded.flatMap((conversations) => conversations[n] ?? []),
  ).flat();
}

const startWeb = (environment: Environment): Promise<Running> =>
  start(["dist/web.js"], { ...environment, PORT: String(ports.web) }, responds(`${webUrl}/ready`));

const startWorker = (environment: Environment): Promise<Running> =>
  start(["dist/worker.js"], environment, async () => true);

const startReceiver = (): Promise<Running> =>
  start(
    ["--import", "tsx", "bench/receiver.ts"],
    { PORT: String(ports.receiver), ARRIVALS: "yes" },
    responds(receiverUrl),
  );

const reset = () => fetch(`${receiverUrl}/reset`);

async function publish(order: PublishOrder): Promise<Published> {
  const child = fork("bench/publisher.ts", { execArgv: ["--import", "tsx"] });
  child.send(order);
  const [published] = await Promise.race([once(child, "message"), once(child, "exit")]);
  child.kill();
  if (typeof published !== "object") throw new Error("the publisher failed");
  return published;
}

/** Waits until so many messages have arrived. @returns when each did, in order */
async function receive(count: number): Promise<[messageId: string, atMs: number][]> {
  for (;;) {
    const figures = await (await fetch(receiverUrl)).json();
    if (figures.count >= count) break;
    await sleep(20);
  }
  return (await fetch(`${receiverUrl}/arrivals`)).json();
}

async function publishAndReceive(order: PublishOrder) {
  await reset();
  const published = await publish(order);
  const arrivedAt = new Map(await receive(order.count));
  const untilArrivalMs = published.responses.map(
    ([messageId, respondedAt]) => (arrivedAt.get(messageId) ?? monotonicMs()) - respondedAt,
  );
  return { published, untilArrivalMs };
}

function medians(rounds: Round[]): Round {
  const names = Object.keys(rounds[0] ?? {}) as (keyof Round)[];
  return Object.fromEntries(
    names.map((name) => [name, median(rounds.map((round) => round[name]))]),
  ) as Round;
}

const textOf = (round: Round | undefined): string =>
  Object.entries(round ?? {})
    .map(([name, value]) => `${name} ${value.toFixed(1)}`)
    .join(", ");

function summarize(
  round: Round,
  idleMs: number[],
  residentMb: number,
  postgresMb: number,
): Measured {
  const [idleP50, idleP99] = [percentile(idleMs, 0.5), percentile(idleMs, 0.99)];
  const own = round.ownCpu;
  const isCheap = own <= 6 && round.postgresCpu <= 6;
  const isSmall = residentMb <= 350 && postgresMb <= 250;
  const title = "publish, ten tenants";
  return {
    rows: [
      { name: `${title}: accepted, worker running`, figure: `${round.accepted.toFixed(0)}/s` },
      {
        name: `${title}: accepted, worker stopped`,
        figure: `${round.acceptedPaused.toFixed(0)}/s`,
      },
      { name: `${title}: backlog drained`, figure: `${round.drained.toFixed(0)}/s` },
      {
        name: `${title}: response to arrival, idle p50`,
        figure: `${idleP50.toFixed(1)} ms`,
        ...atMost(idleP50, 1.5, " ms"),
      },
      { name: `${title}: response to arrival, idle p99`, figure: `${idleP99.toFixed(1)} ms` },
      {
        name: `${title}: response to arrival, load p50`,
        figure: `${round.arrivalP50.toFixed(1)} ms`,
      },
      {
        name: `${title}: response to arrival, load p99`,
        figure: `${round.arrivalP99.toFixed(1)} ms`,
        ...atMost(round.arrivalP99, 40, " ms"),
      },
      {
        name: `${title}: CPU per 10,000, own + PostgreSQL`,
        figure: `${own.toFixed(1)} + ${round.postgresCpu.toFixed(1)} s`,
        goal: "≤ 6 + 6 s",
        isMet: isCheap,
      },
      {
        name: `${title}: memory, own + PostgreSQL`,
        figure: `${residentMb} + ${postgresMb} MB`,
        goal: "≤ 350 + 250 MB",
        isMet: isSmall,
      },
    ],
    lines: [
      line(title, "worker running", {
        perSecond: round.accepted,
        ...{ p50Ms: round.responseP50, p99Ms: round.responseP99 },
        ...{ cpuMicroseconds: own * 100, residentMb },
      }),
      line(title, "worker stopped", { perSecond: round.acceptedPaused }),
      line(title, "backlog drained", { perSecond: round.drained }),
      line(title, "PostgreSQL", {
        cpuMicroseconds: round.postgresCpu * 100,
        residentMb: postgresMb,
      }),
      line(title, "response to arrival, idle", { p50Ms: idleP50, p99Ms: idleP99 }),
      line(title, "response to arrival, under load", {
        ...{ p50Ms: round.arrivalP50, p99Ms: round.arrivalP99 },
      }),
    ],
  };
}
