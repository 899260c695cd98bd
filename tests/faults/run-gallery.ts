import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { leaseSeconds } from "@/lib/deliveries/engine/claim";
import { deadlineMs } from "@/lib/platform/outbound-http/outbound-request";
import { type Installation, startInstallation } from "../support/installation";
import type { Findings } from "./check";
import { newClient } from "./client";
import { type HostileReceiver, openHostileReceivers } from "./hostile-receivers";
import { pidOf } from "./inflict";

export type GalleryOptions = {
  /**
   * How long the hostile receivers run. For a third of this time, but at least ten seconds, only the
   * healthy ones run before and after.
   */
  seconds: number;
  /**
   * Whether to check latencies, durations and memory, too. The results are only meaningful on an
   * otherwise idle machine.
   */
  isTimed?: boolean;
  report?: (line: string) => void;
};

const tenantCount = 5;
const healthyPerTenant = 10;
const eventsPerSecond = 4;
const sampleMs = 500;

/** Latencies below this are noise, so doubling them is acceptable. */
const noiseMs = 15;
/** The extra time to end an attempt and detect that it has ended. */
const toleranceMs = 500;
/** How much the worker's memory may grow from the second to the last third of the run. */
const flatWithin = 1.1;

type Tenant = { client: ReturnType<typeof newClient>; hostile: string[] };
type Sample = { residentMegabytes: number; oldestAttemptMs: number };

/**
 * Runs all hostile receivers concurrently next to fifty healthy ones, with the product's own worker.
 * Checks that each attempt ends in time, healthy receivers are not affected, and memory does not grow.
 */
export async function runGallery({
  seconds,
  isTimed = true,
  report = () => {},
}: GalleryOptions): Promise<Findings> {
  const installation = await startInstallation({
    environment: { WEBHOOK_RETRY_SCHEDULE: "1,1,1,1,1,1,1" },
    isQuiet: true,
  });
  const database = new pg.Client({ connectionString: installation.databaseUrl });
  await database.connect();
  const healthy = await startTimingReceiver();
  const hostile = await openHostileReceivers();
  const tenants: Tenant[] = [];
  try {
    for (let index = 0; index < tenantCount; index++) tenants.push(newTenant(installation, index));
    for (const tenant of tenants) {
      for (let index = 0; index < healthyPerTenant; index++)
        await createWebhook(tenant, healthy.url);
    }
    const quietMs = Math.max(10_000, (seconds * 1_000) / 3);
    const feeding = feed(tenants);
    await sleep(2_000);
    const before = await measure(healthy, () => sleep(quietMs));
    report(`quiet: ${before.length} deliveries`);

    for (const [index, { url }] of hostile.receivers.entries()) {
      const tenant = tenants[index % tenants.length];
      if (tenant) tenant.hostile.push(await createWebhook(tenant, url));
    }
    const samples: Sample[] = [];
    const during = await measure(healthy, () =>
      keepOpen({ installation, database, tenants, samples, untilMs: Date.now() + seconds * 1_000 }),
    );
    report(`with the gallery: ${during.length} deliveries`);

    await setStatus(tenants, "DISABLED");
    await sleep(deadlineMs + toleranceMs);
    const after = await measure(healthy, () => sleep(quietMs));
    report(`quiet again: ${after.length} deliveries`);
    await feeding.stop();
    return judge({
      quiet: [...before, ...after],
      during,
      samples,
      attempts: await readAttempts(database),
      hostile: hostile.receivers,
      isTimed,
    });
  } finally {
    await Promise.all(tenants.map(({ client }) => client.close()));
    await database.end();
    await installation.stop();
    await Promise.all([healthy.close(), hostile.close()]);
  }
}

function newTenant({ admin, url }: Installation, index: number): Tenant {
  const { slug } = JSON.parse(admin("tenant:create", "--name", `Gallery ${index}`));
  const { key } = JSON.parse(
    admin(
      "key:create",
      "--tenant",
      slug,
      "--environment",
      "test",
      "--name",
      "gallery",
      "--rate-limit",
      "1000000",
    ),
  );
  return { client: newClient({ url, key }), hostile: [] };
}

async function change(
  { client }: Tenant,
  method: "POST" | "PATCH",
  path: string,
  body: object,
): Promise<{ id: string }> {
  const { status, text } = await client.insist({
    method,
    path,
    body: JSON.stringify(body),
    key: null,
  });
  if (status >= 400) throw new Error(`${method} ${path} got ${status}: ${text}`);
  return JSON.parse(text);
}

async function createWebhook(tenant: Tenant, url: string): Promise<string> {
  return (await change(tenant, "POST", "/webhooks", { url, events: ["*"] })).id;
}

async function setStatus(tenants: Tenant[], status: "ENABLED" | "DISABLED"): Promise<void> {
  for (const tenant of tenants)
    await Promise.all(
      tenant.hostile.map((id) => change(tenant, "PATCH", `/webhooks/${id}`, { status })),
    );
}

/** Raises events at a constant rate, one at a time for each tenant. */
function feed(tenants: Tenant[]) {
  let isOver = false;
  const feeding = tenants.map(async (tenant) => {
    while (!isOver) {
      await change(tenant, "POST", "/conversations", { channelId: "web" });
      await sleep(1_000 / eventsPerSecond);
    }
  });
  const stop = async () => {
    isOver = true;
    await Promise.all(feeding);
  };
  return { stop };
}

/**
 * Responds immediately to all requests, and records the latency of each event from its timestamp,
 * before the commit, to its arrival.
 */
async function startTimingReceiver() {
  const receiver = { url: "", latenciesMs: [] as number[], close };
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const { timestamp } = JSON.parse(Buffer.concat(parts).toString());
      receiver.latenciesMs.push(Date.now() - Date.parse(timestamp));
      response.end("ok");
    });
  });
  async function close(): Promise<void> {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return receiver;
}

/** @returns the latencies of the events that arrived in the meantime */
async function measure(
  receiver: { latenciesMs: number[] },
  meanwhile: () => Promise<unknown>,
): Promise<number[]> {
  receiver.latenciesMs = [];
  await meanwhile();
  return receiver.latenciesMs;
}

type Open = {
  installation: Installation;
  database: pg.Client;
  tenants: Tenant[];
  samples: Sample[];
  untilMs: number;
};

/**
 * Enables webhooks that were disabled for failures, one tenant after the other, so that the hostile
 * receivers continue to get events.
 */
async function keepOpen({
  installation,
  database,
  tenants,
  samples,
  untilMs,
}: Open): Promise<void> {
  for (let turn = 0; Date.now() < untilMs; turn++) {
    const status = readFileSync(`/proc/${pidOf(installation, "worker")}/status`, "utf8");
    const { rows } = await database.query<{ ms: number | null }>(oldestAttemptStatement, [
      leaseSeconds,
    ]);
    samples.push({
      residentMegabytes: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1_024,
      oldestAttemptMs: rows[0]?.ms ?? 0,
    });
    await setStatus(tenants.slice(turn % tenants.length).slice(0, 1), "ENABLED");
    await sleep(sampleMs);
  }
}

/** How long ago the attempts in flight were claimed, without using the worker's clock. */
const oldestAttemptStatement = `
  SELECT (extract(epoch FROM max(clock_timestamp() - (lease_expires_at - make_interval(secs => $1)))) * 1000)::float8 AS ms
  FROM deliveries WHERE lease_holder IS NOT NULL`;

type Attempt = { url: string; outcome: string; count: number; longest: number };

async function readAttempts(database: pg.Client): Promise<Attempt[]> {
  const { rows } = await database.query<Attempt>(
    `SELECT w.url, coalesce(a.status_code::text, a.error_code) AS outcome, count(*)::int AS count, max(a.duration_ms) AS longest
     FROM (
       SELECT tenant_id, environment, delivery_id, status_code, error_code, duration_ms FROM delivery_attempts
       UNION ALL
       SELECT tenant_id, environment, id, first_status_code, NULL, first_duration_ms FROM deliveries WHERE first_started_at IS NOT NULL
     ) a
     JOIN deliveries d ON d.tenant_id = a.tenant_id AND d.environment = a.environment AND d.id = a.delivery_id
     JOIN webhooks w ON w.tenant_id = d.tenant_id AND w.environment = d.environment AND w.id = d.webhook_id
     GROUP BY 1, 2`,
  );
  return rows;
}

type Measured = {
  quiet: number[];
  during: number[];
  samples: Sample[];
  attempts: Attempt[];
  hostile: HostileReceiver[];
  isTimed: boolean;
};

function judge({ quiet, during, samples, attempts, hostile, isTimed }: Measured): Findings {
  const violations: string[] = [];
  const [quietMs, duringMs] = [percentile(quiet, 99), percentile(during, 99)];
  const ratio = Math.max(duringMs, noiseMs) / Math.max(quietMs, noiseMs);
  if (isTimed && ratio > 2)
    violations.push(
      `healthy receivers' p99 was ${duringMs} ms beside the gallery and ${quietMs} ms without it`,
    );

  const longestMs = Math.max(
    ...attempts.map(({ longest }) => longest),
    ...samples.map(({ oldestAttemptMs }) => oldestAttemptMs),
  );
  if (isTimed && longestMs > deadlineMs + toleranceMs)
    violations.push(`an attempt took ${Math.round(longestMs)} ms`);
  for (const { kind, url, outcome } of hostile) {
    const [wanted] = Object.values(outcome).map(String);
    const own = attempts.filter((attempt) => attempt.url === url);
    if (own.length === 0) violations.push(`nothing was sent to the one that ${kind}`);
    for (const { outcome: found, count } of own)
      if (found !== wanted)
        violations.push(`${count} attempts at the one that ${kind} came to ${found}`);
  }
  const resident = samples.map(({ residentMegabytes }) => residentMegabytes);
  const third = Math.floor(resident.length / 3);
  const [middle, last] = [
    percentile(resident.slice(third, 2 * third), 50),
    percentile(resident.slice(2 * third), 50),
  ];
  if (isTimed && last > middle * flatWithin)
    violations.push(`the worker grew from ${middle.toFixed(0)} to ${last.toFixed(0)} MB`);

  const hostileUrls = new Set(hostile.map(({ url }) => url));
  const figures = {
    "hostile receivers, all at once": hostile.length,
    "attempts at them": attempts
      .filter(({ url }) => hostileUrls.has(url))
      .reduce((sum, { count }) => sum + count, 0),
    "longest attempt (ms)": Math.round(longestMs),
    "deliveries to 50 healthy receivers beside them": during.length,
    "their p50 and p99 (ms), without the gallery": `${percentile(quiet, 50)}, ${quietMs}`,
    "their p50 and p99 (ms), beside the gallery": `${percentile(during, 50)}, ${duringMs}`,
    "p99 beside the gallery to p99 without it": ratio.toFixed(2),
    "worker resident (MB), by thirds of the time": [
      resident.slice(0, third),
      resident.slice(third, 2 * third),
      resident.slice(2 * third),
    ]
      .map((part) => percentile(part, 50).toFixed(0))
      .join(", "),
  };
  return { violations, figures };
}

function percentile(values: number[], share: number): number {
  return (
    values.toSorted((a, b) => a - b)[
      Math.min(values.length - 1, Math.floor((values.length * share) / 100))
    ] ?? 0
  );
}
