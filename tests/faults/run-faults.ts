import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { ChainFinding } from "@/lib/audit/verify-chain";
import { type Installation, startInstallation } from "../support/installation";
import { checkHistory, type Findings, type Subscription } from "./check";
import { newClient } from "./client";
import { countAcknowledged, newHistory } from "./history";
import {
  type Crash,
  crashDatabase,
  crashes,
  killPart,
  type Part,
  parts,
  pidOf,
  until,
} from "./inflict";
import { startLoad } from "./load";
import { randomFrom } from "./random";
import { type Reply, startCountingReceiver, type Temper } from "./receivers";
import { checkRemovals, startRemovals } from "./removals";

export type FaultOptions = {
  seed: number;
  /** Of web and worker together. */
  kills: number;
  /** Of PostgreSQL. */
  crashes: number;
  /** The minimum number of acknowledged changes between the first fault and the end. */
  writes: number;
  /** The minimum duration of the load. */
  seconds: number;
  writers: number;
  /** Writers beside them that delete, redact and erase. */
  removers?: number;
  /** Called with progress messages. */
  report?: (line: string) => void;
};

const drainMs = 180_000;
/** The maximum time for the writes between two faults, on any machine. */
const writeMs = 300_000;

type Kind = {
  name: string;
  /** Whether everything has to arrive. */
  isHealthy: boolean;
  events: string[];
  temper: Temper;
  options?: { ordering?: "conversation"; acceptsReplies?: true };
  reply?: Reply;
};

/** Replies to a third of the events, always with the same text. */
const replyToSome: Reply = (eventId) =>
  eventId.charCodeAt(eventId.length - 1) % 3 === 0 ? `Reply to ${eventId}` : null;

/** The receivers of all events, and the other kinds of receivers. */
const tempers: Kind[] = [
  {
    name: "healthy",
    isHealthy: true,
    events: ["*"],
    temper: { answer: 1, fail: 0, "hang up": 0, hang: 0 },
  },
  {
    name: "other healthy",
    isHealthy: true,
    events: ["*"],
    temper: { answer: 1, fail: 0, "hang up": 0, hang: 0 },
  },
  {
    ...{ name: "ordered", isHealthy: true, events: ["conversation.*", "message.*"] },
    temper: { answer: 0.94, fail: 0.03, "hang up": 0.03, hang: 0 },
    options: { ordering: "conversation" },
  },
  {
    ...{ name: "replying", isHealthy: true, events: ["message.received"] },
    temper: { answer: 0.97, fail: 0.015, "hang up": 0.015, hang: 0 },
    options: { acceptsReplies: true },
    reply: replyToSome,
  },
  {
    ...{ name: "moody", isHealthy: false, events: ["customer.*", "document.*"] },
    temper: { answer: 0.85, fail: 0.07, "hang up": 0.07, hang: 0.01 },
  },
  {
    name: "failing",
    isHealthy: false,
    events: ["message.*"],
    temper: { answer: 0, fail: 1, "hang up": 0, hang: 0 },
  },
];

/**
 * Starts the product under load, kills its processes at random moments, and then compares its data
 * with everything that was acknowledged. The same seed gives the same faults and requests, as far as
 * timing allows.
 */
export async function runFaults(options: FaultOptions): Promise<Findings> {
  const { seed, writers, removers = 4, report = () => {} } = options;
  const random = randomFrom(seed);
  // Retries within seconds, so that failing deliveries end soon.
  const installation = await startInstallation({
    environment: { WEBHOOK_RETRY_SCHEDULE: "1,1,1,1,1,1,1" },
    isQuiet: true,
  });
  const database = new pg.Client({ connectionString: installation.databaseUrl });
  const receivers = await Promise.all(
    tempers.map(({ temper, reply }, index) =>
      startCountingReceiver(temper, randomFrom(seed + index), reply),
    ),
  );
  const { tenantId, slug, key } = newTenant(installation, "Faults");
  const removing = newTenant(installation, "Removals");
  const history = newHistory();
  const client = newClient({ url: installation.url, key, onRetry: () => history.retries++ });
  const remover = newClient({ url: installation.url, key: removing.key });
  let hasFailed = true;
  try {
    const subscriptions = await Promise.all(
      receivers.map((receiver, index) => subscribe(client, receiver, index)),
    );
    const knowledgeBaseId = await createKnowledgeBase(client);
    const load = startLoad(writers, (writer) => ({
      ...{ client, history, knowledgeBaseId, random: randomFrom(seed + 1_000 + writer) },
      webhookUrl: receivers[0]?.url ?? "",
    }));
    const removal = startRemovals(removers, remover, randomFrom(seed + 2_000));
    const recoveries = await inflict({
      installation,
      options,
      random,
      countWrites: () => countAcknowledged(history),
    });
    await load.stop();
    const removals = await removal.stop();
    report(
      "the load has ended; waiting until everything healthy is delivered and every document read",
    );

    await database.connect();
    const healthy = subscriptions
      .filter(({ isHealthy }) => isHealthy)
      .map(({ webhookId }) => webhookId);
    const isDrained = await drain(database, tenantId, healthy);
    report("checking the whole history");
    const verify = (slug: string) =>
      JSON.parse(installation.admin("audit:verify", "--tenant", slug)) as ChainFinding;
    const verifyAudit = () => verify(slug);
    const context = {
      database,
      tenantId,
      client,
      history,
      subscriptions,
      verifyAudit,
      directory: installation.directory,
    };
    const { violations, figures } = await checkHistory(context);
    const removed = await checkRemovals(database, removing.tenantId, removals);
    violations.push(...removed.violations);
    const { broken } = verify(removing.slug);
    if (broken) violations.push(`entry ${broken.sequence} of the removals' log: ${broken.reason}`);
    if (!isDrained)
      violations.push(`after ${drainMs / 1000} s there was still something to deliver or to read`);
    hasFailed = violations.length > 0;
    return {
      violations,
      figures: {
        ...recoveries,
        "requests sent again": history.retries,
        ...figures,
        ...removed.figures,
      },
      directory: hasFailed ? installation.directory : null,
    };
  } finally {
    await Promise.all([client.close(), remover.close()]);
    await database.end();
    await installation.stop({ isKept: hasFailed });
    await Promise.all(receivers.map((receiver) => receiver.close()));
  }
}

/** A tenant with a key without a rate limit. */
function newTenant(
  { admin }: Installation,
  name: string,
): { tenantId: string; slug: string; key: string } {
  const { id: tenantId, slug } = JSON.parse(admin("tenant:create", "--name", name));
  const { key } = JSON.parse(
    admin(
      "key:create",
      "--tenant",
      slug,
      "--environment",
      "test",
      "--name",
      "load",
      "--rate-limit",
      "1000000",
    ),
  );
  return { tenantId, slug, key };
}

type Client = ReturnType<typeof newClient>;

async function subscribe(
  client: Client,
  receiver: Subscription["receiver"],
  index: number,
): Promise<Subscription> {
  const { name = "", isHealthy = false, events = [], options, reply } = tempers[index] ?? {};
  const body = JSON.stringify({ url: receiver.url, events, ...options });
  const response = await client.insist({
    method: "POST",
    path: "/webhooks",
    body,
    key: `webhook ${index}`,
  });
  const { id, secret } = JSON.parse(response.text);
  receiver.secret = secret;
  const wants = (type: string) =>
    events.some(
      (pattern) => pattern === "*" || pattern === type || `${type.split(".")[0]}.*` === pattern,
    );
  const isOrdered = options?.ordering === "conversation";
  return { webhookId: id, name, isHealthy, receiver, wants, isOrdered, reply };
}

async function createKnowledgeBase(client: Client): Promise<string> {
  const body = JSON.stringify({ name: "Faults" });
  const response = await client.insist({
    method: "POST",
    path: "/knowledge-bases",
    body,
    key: "knowledge base",
  });
  return JSON.parse(response.text).id;
}

type Fault = Part | Crash;

type Inflicting = {
  installation: Installation;
  options: FaultOptions;
  random: () => number;
  countWrites: () => number;
};

/** @returns how long it took until the API responded again, by what was killed */
async function inflict({ installation, options, random, countWrites }: Inflicting) {
  const { report = () => {} } = options;
  const plan = planFaults(options, random);
  const pauseMs = (options.seconds * 1_000) / (plan.length + 1);
  const killed: Record<Part, number> = { web: 0, worker: 0 };
  const recoveryMs: Record<"web" | "database", number[]> = { web: [], database: [] };
  const measuring = new Set<Promise<void>>();
  const measure = (what: "web" | "database", since: number) => {
    const measured = untilUp(installation, what === "web" ? "/health" : "/ready").then(() => {
      recoveryMs[what].push(Math.round(performance.now() - since));
      measuring.delete(measured);
    });
    measuring.add(measured);
    return measured;
  };

  /** A killed process can be visible for a while. */
  function runningPid(part: Part): number {
    const pid = pidOf(installation, part);
    return pid === killed[part] ? 0 : pid;
  }

  for (const [index, fault] of plan.entries()) {
    // Sometimes before the previous restart has completed, because a starting process can be killed, too.
    if (random() < 0.75) {
      await Promise.all(measuring);
      await until(
        "enough was written",
        () => countWrites() >= (options.writes * index) / plan.length,
        { withinMs: writeMs },
      );
    }
    await sleep(random() * 2 * pauseMs);
    if (isPart(fault)) {
      killed[fault] = await killPart(installation, fault, killed[fault]);
      if (fault === "web") void measure("web", performance.now());
    } else {
      const before = await Promise.all(
        parts.map((part) => until(`${part} runs`, () => runningPid(part))),
      );
      await crashDatabase(installation, fault);
      await measure("database", performance.now());
      const after = parts.map((part) => pidOf(installation, part));
      if (after.join() !== before.join())
        throw new Error(`web or worker ended when the database did (${fault})`);
    }
    if (index % 20 === 19) report(`${index + 1} faults, ${countWrites()} acknowledged writes`);
  }
  await sleep(pauseMs);
  await Promise.all(measuring);
  await until("enough was written", () => countWrites() >= options.writes, { withinMs: writeMs });
  return {
    "kills of web": plan.filter((fault) => fault === "web").length,
    "kills of worker": plan.filter((fault) => fault === "worker").length,
    "crashes of PostgreSQL": options.crashes,
    "API responds again after a kill of web (ms, median and longest)": summary(recoveryMs.web),
    "ready again after PostgreSQL responds (ms, median and longest)": summary(recoveryMs.database),
  };
}

const isPart = (fault: Fault): fault is Part => (parts as readonly Fault[]).includes(fault);

/** Database crashes spread evenly among the kills, each kind in turn. */
function planFaults({ kills, crashes: crashCount }: FaultOptions, random: () => number): Fault[] {
  const plan: Fault[] = Array.from({ length: kills }, () => (random() < 0.5 ? "web" : "worker"));
  for (let index = 0; index < crashCount; index++) {
    const kind =
      crashes[(index + Math.floor(random() * crashes.length)) % crashes.length] ??
      "immediate shutdown";
    plan.splice(Math.round(((index + 0.5) / crashCount) * plan.length), 0, kind);
  }
  return plan;
}

function untilUp({ url }: Installation, path: string) {
  const isUp = () =>
    fetch(`${url}${path}`, { signal: AbortSignal.timeout(2_000) }).then(
      ({ ok }) => ok,
      () => false,
    );
  return until(`${path} responds`, isUp, { everyMs: 10 });
}

function summary(milliseconds: number[]): string {
  const sorted = milliseconds.toSorted((a, b) => a - b);
  return sorted.length === 0
    ? "none"
    : `${sorted[Math.floor(sorted.length / 2)]}, ${sorted.at(-1)}`;
}

/**
 * @returns whether everything was delivered to healthy receivers and every document was processed in
 * time
 */
async function drain(
  database: pg.Client,
  tenantId: string,
  webhookIds: string[],
): Promise<boolean> {
  const left = async () => {
    const { rows } = await database.query<{ left: number }>(
      `SELECT ((SELECT count(*) FROM deliveries WHERE tenant_id = $1 AND webhook_id = ANY($2) AND status <> 'DELIVERED')
        + (SELECT count(*) FROM documents WHERE tenant_id = $1 AND status IN ('PENDING', 'PROCESSING')))::int AS left`,
      [tenantId, webhookIds],
    );
    return rows[0]?.left === 0;
  };
  return until("everything is delivered", left, { withinMs: drainMs, everyMs: 250 }).catch(
    () => false,
  );
}
