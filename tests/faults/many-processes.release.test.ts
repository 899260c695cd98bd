import { once } from "node:events";
import { createServer, request as httpRequest, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { encode } from "next-auth/jwt";
import { afterAll, beforeAll, expect, test } from "vitest";
import { authSecret } from "@/lib/auth/auth-secret";
import { connectionBudget } from "@/lib/platform/connection-budget";
import { db, pool } from "@/lib/platform/db";
import { newKey, newTenant, type TestTenant } from "../support/api";
import { newBrowser } from "../support/browser";
import { scrape, total } from "../support/exposition";
import { newOrganization, newSession } from "../support/people";
import { freePort, type RunningProcess, startWeb, startWorker } from "../support/processes";
import { type Receiver, startReceiver } from "../support/receiver";
import { findRedisServer, startUpstashBridge, type UpstashBridge } from "../support/upstash-bridge";

// Three webs and two workers with one PostgreSQL and one Redis, behind a proxy.

const redisServer = findRedisServer();

type Web = RunningProcess & { url: string };
let webs: Web[] = [];
let workers: RunningProcess[] = [];
let bridge: UpstashBridge;
let receiver: Receiver;
let proxy: Awaited<ReturnType<typeof startProxy>>;
let metricsPorts: number[] = [];
let environment: Record<string, string> = {};

/** Passes each request once, to the next web in rotation, on a connection of its own. */
async function startProxy() {
  let turn = 0;
  const isOut = new Set<Web>();
  const inFlight = new Map<Web, number>();
  const forward = (incoming: IncomingMessage, body: Buffer, target: Web) =>
    new Promise<{ found: IncomingMessage; content: Buffer }>((resolve, reject) => {
      const { method, url: path, headers } = incoming;
      const outgoing = httpRequest(
        new URL(path ?? "/", target.url),
        { method, headers: { ...headers, connection: "close" }, agent: false },
        (found) => buffer(found).then((content) => resolve({ found, content }), reject),
      );
      outgoing.on("error", reject).end(body);
    });
  const server = createServer(async (incoming, response) => {
    const body = await buffer(incoming);
    const rotation = webs.filter((web) => !isOut.has(web));
    const target = rotation[turn++ % rotation.length] as Web;
    inFlight.set(target, (inFlight.get(target) ?? 0) + 1);
    try {
      const { found, content } = await forward(incoming, body, target);
      const { connection: _, ...headers } = found.headers;
      response.writeHead(found.statusCode ?? 502, headers).end(content);
    } catch (error) {
      response.writeHead(502).end((error as Error).message);
    } finally {
      inFlight.set(target, (inFlight.get(target) ?? 0) - 1);
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Takes a web out of rotation once it is not ready. Resolves when nothing is in flight there. */
    takeOut: async (web: Web) => {
      await expect.poll(async () => (await fetch(`${web.url}/ready`)).status).toBe(503);
      isOut.add(web);
      await expect.poll(() => inFlight.get(web)).toBe(0);
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function send(
  url: string,
  { key }: TestTenant,
  method: string,
  path: string,
  body?: object,
  idempotencyKey?: string,
) {
  const response = await fetch(`${url}/v1/public${path}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      ...(idempotencyKey && { "idempotency-key": idempotencyKey }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, text, isReplay: response.headers.has("idempotent-replayed") };
}

async function signIn(browser: ReturnType<typeof newBrowser>, userId: string): Promise<void> {
  const { id: sessionId } = await newSession(userId);
  const token = await encode({ token: { sessionId }, secret: authSecret() });
  browser.cookies.set("next-auth.session-token", token);
}

const unlimited = { rateLimitPerMinute: 1_000_000 };

beforeAll(async () => {
  if (!redisServer) return;
  bridge = await startUpstashBridge(redisServer);
  receiver = await startReceiver();
  proxy = await startProxy();
  environment = {
    UPSTASH_REDIS_REST_URL: bridge.url,
    UPSTASH_REDIS_REST_TOKEN: bridge.token,
    NEXTAUTH_URL: proxy.url,
    TRUSTED_PROXY_HOPS: "0",
    SHUTDOWN_DELAY_SECONDS: "600",
  };
  // Each has its own default size, as in production.
  delete process.env.DATABASE_POOL_SIZE;
  metricsPorts = [await freePort(), await freePort(), await freePort()];
  webs = await Promise.all(
    metricsPorts.map((port) => startWeb({ ...environment, METRICS_PORT: String(port) })),
  );
  workers = await Promise.all([startWorker(environment), startWorker(environment)]);
});
afterAll(async () => {
  await Promise.all([...webs, ...workers].map((each) => each.end("SIGKILL")));
  proxy?.close();
  await receiver?.close();
  await bridge?.stop();
});

const together = test.skipIf(!redisServer);

together(
  "a key that is revoked through one process gets 401 from all, and never again 200",
  async () => {
    const { owner, tenant } = await newOrganization();
    const [revoked, other] = [await newKey(tenant, unlimited), await newKey(tenant, unlimited)];
    const statusAt = async (url: string, key = revoked) =>
      (await send(url, key, "GET", "/account")).status;
    for (const { url } of webs) expect(await statusAt(url)).toBe(200);

    const browser = newBrowser({ url: webs[0]?.url ?? "" });
    await signIn(browser, owner.id);
    const place = { tenant: tenant.slug, environment: "test" };
    const path = `/${tenant.slug}/test/api-keys`;
    const done = await browser.act(path, "revokeApiKeyAction", place, revoked.keyId);
    expect(done).toMatchObject({ status: 200, value: { outcome: "done" } });

    for (const { url } of webs) {
      await expect.poll(() => statusAt(url)).toBe(401);
      for (let again = 0; again < 10; again++) expect(await statusAt(url)).toBe(401);
    }
    expect(await statusAt(proxy.url, other)).toBe(200);
  },
);

together("a rate limit is exact over all processes", async () => {
  const limit = 60;
  const statusesOf = (tenant: TestTenant) =>
    Promise.all(
      Array.from({ length: limit + 60 }, async (_, index) => {
        const url = webs[index % webs.length]?.url ?? "";
        return (await send(url, tenant, "GET", "/account")).status;
      }),
    );
  // A web whose store does not respond within its deadline decides by itself, so a round counts only
  // if the store made every decision.
  for (;;) {
    const before = await storeFailures();
    const statuses = await statusesOf(await newTenant({ rateLimitPerMinute: limit }));
    if ((await storeFailures()) > before) continue;
    expect(statuses.filter((status) => status === 200)).toHaveLength(limit);
    expect(statuses.filter((status) => status === 429)).toHaveLength(60);
    return;
  }
});

async function storeFailures(): Promise<number> {
  const counts = await Promise.all(
    metricsPorts.map(async (port) =>
      total(await scrape(port), "parlance_rate_limit_store_failures_total"),
    ),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

together("an idempotency key has one effect, whichever processes its requests reach", async () => {
  const tenant = await newTenant(unlimited);
  for (let round = 0; round < 20; round++) {
    const responses = await Promise.all(
      Array.from({ length: 12 }, () =>
        send(proxy.url, tenant, "POST", "/conversations", { channelId: "web" }, `key-${round}`),
      ),
    );
    expect(new Set(responses.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(responses[0]?.status).toBe(201);
    expect(responses.filter(({ isReplay }) => !isReplay)).toHaveLength(1);
  }
  expect(await db().conversation.count({ where: { tenantId: tenant.tenantId } })).toBe(20);
});

together("a session and a server action work on every process", async () => {
  const { owner, tenant } = await newOrganization();
  const place = { tenant: tenant.slug, environment: "test" };
  for (const { url } of [...webs, proxy]) {
    const browser = newBrowser({ url });
    await signIn(browser, owner.id);
    const found = await browser.act(
      `/${tenant.slug}/test/customers`,
      "findCustomersAction",
      place,
      "Grace",
    );
    expect(found).toMatchObject({ status: 200, value: { outcome: "done", value: [] } });
  }
});

together(
  "a rolling restart of every process under load fails no request and loses no event",
  async () => {
    const tenant = await newTenant(unlimited);
    const event = { url: receiver.url, events: ["conversation.created"] };
    expect((await send(proxy.url, tenant, "POST", "/webhooks", event)).status).toBe(201);
    let isDone = false;
    const created = new Set<string>();
    const failures: string[] = [];
    const load = Array.from({ length: 12 }, async (_, client) => {
      for (let index = 0; !isDone; index++) {
        const isRead = index % 2 === 0;
        const { status, text } = isRead
          ? await send(proxy.url, tenant, "GET", "/conversations?limit=5")
          : await send(proxy.url, tenant, "POST", "/conversations", { channelId: `${client}` });
        if (status === 201) created.add(JSON.parse(text).id);
        else if (status !== 200) failures.push(`${status} ${text}`);
      }
    });
    const progress = async () => {
      const before = created.size;
      await expect.poll(() => created.size).toBeGreaterThan(before + 20);
    };

    await progress();
    for (const [index, web] of webs.entries()) {
      process.kill(web.pid, "SIGTERM");
      await proxy.takeOut(web);
      expect((await send(web.url, tenant, "GET", "/account")).status).toBe(200);
      // The second signal ends the delay.
      expect(await web.end()).toBe(0);
      webs[index] = await startWeb(environment);
      await progress();
    }
    for (const [index, worker] of workers.entries()) {
      expect(await worker.end()).toBe(0);
      workers[index] = await startWorker(environment);
      await progress();
    }
    await expectWithinBudget();
    isDone = true;
    await Promise.all(load);

    expect(failures).toEqual([]);
    const delivered = () =>
      new Set(receiver.requests.map(({ body }) => JSON.parse(body).data.object.id));
    await expect.poll(() => delivered().size).toBe(created.size);
    expect(delivered()).toEqual(created);
  },
);

/** What three webs and two workers hold at the moment. */
async function expectWithinBudget() {
  const { rows } = await pool().query<{ name: string; open: number }>(
    `SELECT application_name AS name, count(*)::int AS open FROM pg_stat_activity
     WHERE datname = current_database() AND application_name LIKE 'parlance %' GROUP BY 1`,
  );
  const open = Object.fromEntries(rows.map(({ name, open }) => [name, open]));
  const { web, worker } = connectionBudget;
  expect(open["parlance web"]).toBeLessThanOrEqual(3 * web.pool + 8);
  expect(open["parlance worker"]).toBeLessThanOrEqual(2 * (worker.pool + worker.delivering));
}
