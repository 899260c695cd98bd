import { afterAll, expect, test } from "vitest";
import { env } from "@/lib/platform/env";
import { runAdmin } from "../support/admin";
import { newKey } from "../support/api";
import { openStream, openWhenFree } from "../support/event-stream";
import { findPgBouncer, type PgBouncer, startPgBouncer } from "../support/pgbouncer";
import { printedBy } from "../support/printed";
import { freePort, type RunningProcess, startWeb, startWorker } from "../support/processes";
import { startReceiver } from "../support/receiver";
import { countByStatus, newPartition, newWebhook } from "../support/webhooks";

const program = findPgBouncer();
// More than the number of sessions, and few enough that none waits for long on a slow machine.
const clients = 10;
const requestsPerClient = 60;

const undo: (() => unknown)[] = [];
afterAll(async () => {
  for (const step of undo.reverse()) await step();
});

async function bouncer(settings?: Record<string, string>): Promise<PgBouncer> {
  const started = await startPgBouncer(program ?? "", env().DATABASE_URL, settings);
  undo.push(started.stop);
  return started;
}

const ending = <Process extends RunningProcess>(running: Process): Process => {
  undo.push(() => running.end("SIGTERM"));
  return running;
};

/** Without settings, PgBouncer refuses startup options; it can also be told to drop them. */
const refusing: Record<string, string> = {};
const ignoring: Record<string, string> = { ignore_startup_parameters: "options" };

test.skipIf(!program).each([refusing, ignoring])(
  "behind PgBouncer with transaction pooling %o, no request of two web processes fails and every event is delivered once",
  async (settings) => {
    const { url } = await bouncer(settings);
    const partition = await newPartition();
    const { key } = await newKey({ id: partition.tenantId, slug: "" });
    const receiver = await startReceiver();
    const webhook = await newWebhook(receiver.url, partition);
    const environment = { DATABASE_URL: url, LOG_LEVEL: "silent" };
    const webs = await Promise.all([startWeb(environment), startWeb(environment)]);
    for (const running of [
      ...webs,
      await startWorker({ ...environment, DATABASE_DIRECT_URL: env().DATABASE_URL }),
    ])
      ending(running);

    const statuses: Record<number, number> = {};
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const work = async (client: number) => {
      const base = `${webs[client % webs.length]?.url}/v1/public`;
      for (let index = 0; index < requestsPerClient; index++) {
        const [path, init] =
          index % 4 === 0
            ? [
                "/conversations",
                {
                  method: "POST",
                  headers,
                  body: JSON.stringify({ channelId: "web", customer: { name: "Ada" } }),
                },
              ]
            : [["/conversations", "/customers", "/webhooks"][index % 3] ?? "", { headers }];
        const response = await fetch(base + path, init);
        await response.arrayBuffer();
        statuses[response.status] = (statuses[response.status] ?? 0) + 1;
      }
    };
    await Promise.all(Array.from({ length: clients }, (_, client) => work(client)));
    expect(statuses).toEqual({
      200: clients * requestsPerClient * 0.75,
      201: clients * requestsPerClient * 0.25,
    });
    await expect
      .poll(async () => (await countByStatus(partition, webhook.id)).PENDING)
      .toBeUndefined();
    expect(receiver.requests.length).toBeGreaterThanOrEqual(clients * requestsPerClient * 0.25);
    await receiver.close();
  },
);

test.skipIf(!program)("a worker that has nothing but the pooler delivers too", async () => {
  const { url } = await bouncer();
  const receiver = await startReceiver();
  const webhook = await newWebhook(receiver.url);
  const { key } = await newKey({ id: webhook.partition.tenantId, slug: "" });
  const environment = { DATABASE_URL: url, LOG_LEVEL: "silent" };
  const web = ending(await startWeb(environment));
  ending(await startWorker(environment));
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const response = await fetch(`${web.url}/v1/public/conversations`, {
    method: "POST",
    headers,
    body: '{"channelId":"web"}',
  });
  expect(response.status).toBe(201);
  await receiver.received(1);
  await receiver.close();
});

test.skipIf(!program)("doctor names the pooler, and accepts it with a direct address", async () => {
  const { url } = await bouncer();
  const pooled = await runAdmin(["doctor"], { DATABASE_URL: url });
  expect(pooled.output).toMatch(
    /WRONG {2}notifications: do not arrive; .* through a connection pooler\. .*DATABASE_DIRECT_URL/,
  );
  expect(pooled.exitCode).toBe(1);
  const direct = await runAdmin(["doctor"], {
    DATABASE_URL: url,
    DATABASE_DIRECT_URL: env().DATABASE_URL,
  });
  expect(direct.output).toMatch(/ok {5}notifications: arrive; .* through a connection pooler/);
  expect(direct.exitCode).toBe(0);
});

test.skipIf(!program)(
  "behind PgBouncer alone, events are streamed, and each process counts and frees the streams of a key",
  async () => {
    const { url } = await bouncer();
    const { tenantId } = await newPartition();
    const tenant = await newKey({ id: tenantId, slug: "" });
    const web = ending(await startWeb({ DATABASE_URL: url, LOG_LEVEL: "silent" }));
    const open = () => openStream(tenant, "GET", "/events/stream", { url: web.url });
    // Twice, because a slot that is not freed would be missing in the second round.
    for (let round = 0; round < 2; round++) {
      const streams = [await openWhenFree(open)];
      while (streams.length < 10) streams.push(await openWhenFree(open));
      expect(new Set(streams.map(({ status }) => status))).toEqual(new Set([200]));
      expect((await open()).status).toBe(409);

      const name = `Round ${round}`;
      await fetch(`${web.url}/v1/public/customers`, {
        method: "POST",
        headers: { authorization: `Bearer ${tenant.key}`, "content-type": "application/json" },
        body: JSON.stringify({ name }),
      });
      for (const stream of streams) {
        expect(await stream.event()).toMatchObject({ data: { object: { name } } });
        stream.close();
      }
    }
  },
);

test.skipIf(!program)(
  "a process warns of a pooler only where it has no other address for what needs a session",
  async () => {
    const { url } = await bouncer();
    const direct = env().DATABASE_URL;
    const poolerLines = async (
      part: "web" | "worker",
      addresses: { DATABASE_URL: string; DATABASE_DIRECT_URL: string },
    ) => {
      const PORT = String(await freePort());
      const { lines } = await printedBy(
        part,
        { ...addresses, PORT, HOST: "127.0.0.1" },
        /web is listening|the worker is running/,
      );
      const found = lines.map((line) => JSON.parse(line)).filter(({ msg }) => /pooler/.test(msg));
      return found.map(({ level, msg }) => [level, msg.split(" ", 1)[0]]);
    };

    expect(await poolerLines("web", { DATABASE_URL: url, DATABASE_DIRECT_URL: "" })).toEqual([
      [40, "DATABASE_URL"],
    ]);
    expect(await poolerLines("web", { DATABASE_URL: url, DATABASE_DIRECT_URL: direct })).toEqual([
      [30, "DATABASE_URL"],
    ]);
    expect(await poolerLines("worker", { DATABASE_URL: url, DATABASE_DIRECT_URL: direct })).toEqual(
      [],
    );
    expect(await poolerLines("worker", { DATABASE_URL: url, DATABASE_DIRECT_URL: url })).toEqual([
      [40, "DATABASE_DIRECT_URL"],
    ]);
  },
);
