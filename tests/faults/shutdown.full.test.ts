import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { Client } from "undici";
import { expect, test } from "vitest";
import { db } from "@/lib/platform/db";
import { call, newTenant } from "../support/api";
import { startNextServer } from "../support/api-server";
import { openStream } from "../support/event-stream";
import { startWeb, startWorker } from "../support/processes";
import { holdResponses, startReceiver } from "../support/receiver";
import { countAttempts, countByStatus, newWebhook } from "../support/webhooks";

const clients = 24;
const rounds = 4;
const events = 50;

/**
 * Sends requests on one connection until no new connection is accepted. @returns the requests with
 * and without a response. The system resets a connection that the server had not accepted when it
 * closed its port. Such a request does not count as dropped if the next one is refused.
 */
async function workUntilRefused(url: string, key: string, name: string) {
  const client = new Client(url);
  const outcome = { created: 0, dropped: [] as string[] };
  let responses = 0;
  client.on("connect", () => {
    responses = 0;
  });
  let resetAtFirst: string | undefined;
  for (let index = 0; ; index++) {
    const isRead = index % 2 === 0;
    try {
      const { statusCode, body } = await client.request({
        method: isRead ? "GET" : "POST",
        path: "/v1/public/conversations",
        headers: {
          authorization: `Bearer ${key}`,
          ...(!isRead && { "content-type": "application/json" }),
        },
        body: isRead ? null : JSON.stringify({ channelId: "web", externalId: `${name}-${index}` }),
      });
      await body.text();
      responses++;
      if (resetAtFirst) outcome.dropped.push(resetAtFirst);
      resetAtFirst = undefined;
      if (statusCode === 201) outcome.created++;
      else if (statusCode !== 200) outcome.dropped.push(String(statusCode));
    } catch (error) {
      const { code = "", message } = error as Error & { code?: string };
      if (code === "ECONNREFUSED") break;
      const isFirst = code === "ECONNRESET" && responses === 0 && !resetAtFirst;
      if (isFirst) resetAtFirst = `${code} ${message}`;
      else outcome.dropped.push(`${code} ${message}`);
    }
  }
  await client.destroy();
  return outcome;
}

test("SIGTERM to web drops no request: each one gets its response, and the connection ends after a response", async () => {
  for (let round = 0; round < rounds; round++) {
    const tenant = await newTenant({ rateLimitPerMinute: 1_000_000 });
    const web = await startWeb();
    const working = Array.from({ length: clients }, (_, index) =>
      workUntilRefused(web.url, tenant.key, `${round}-${index}`),
    );
    await expect
      .poll(() => db().conversation.count({ where: { tenantId: tenant.tenantId } }))
      .toBeGreaterThan(clients);
    expect(await web.end("SIGTERM")).toBe(0);

    const outcomes = await Promise.all(working);
    expect(outcomes.flatMap(({ dropped }) => dropped)).toEqual([]);
    const created = outcomes.reduce((sum, outcome) => sum + outcome.created, 0);
    expect(await db().conversation.count({ where: { tenantId: tenant.tenantId } })).toBe(created);
  }
});

/** Whether anything listens there. */
async function accepts(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

test("SIGTERM to web waits for a request whose body is still arriving", async () => {
  const tenant = await newTenant();
  const web = await startWeb();
  const body = JSON.stringify({ channelId: "web" });
  const sending = httpRequest(`${web.url}/v1/public/conversations`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${tenant.key}`,
      "content-type": "application/json",
      "content-length": body.length,
      expect: "100-continue",
    },
  });
  sending.flushHeaders();
  await once(sending, "continue");
  const answered = once(sending, "response") as Promise<[IncomingMessage]>;
  sending.write(body.slice(0, 5));
  const ended = web.end("SIGTERM");
  await expect.poll(() => accepts(web.url)).toBe(false);
  sending.end(body.slice(5));

  const [{ statusCode, headers }] = await answered;
  expect([statusCode, headers.connection]).toEqual([201, "close"]);
  expect(await ended).toBe(0);
});

test("SIGTERM ends the streams of either server cleanly, and they continue at another process", async () => {
  const tenant = await newTenant();
  const next = await startNextServer();
  const [web, other] = await Promise.all([startWeb(), startWeb()]);
  const streams = await Promise.all(
    [web.url, next.url].map((url) => openStream(tenant, "GET", "/events/stream", { url })),
  );
  for (const stream of streams) await stream.block();
  const ended = [web.end("SIGTERM"), next.close()];
  for (const stream of streams) {
    let last = await stream.block();
    while (last?.comment === "heartbeat") last = await stream.block();
    expect(last).toMatchObject({ comment: expect.stringMatching(/restarting/) });
    expect(await stream.block()).toBeNull();
  }
  await Promise.all(ended);

  await call(tenant, "POST", "/customers", { name: "In between" });
  for (const stream of streams) {
    const headers = { "last-event-id": stream.lastId() ?? "" };
    const resumed = await openStream(tenant, "GET", "/events/stream", { url: other.url, headers });
    expect(await resumed.event()).toMatchObject({ data: { object: { name: "In between" } } });
    resumed.close();
  }
  await other.end();
});

test("a killed process frees the streams that it had open", async () => {
  const tenant = await newTenant();
  const [killed, other] = await Promise.all([startWeb(), startWeb()]);
  const open = (url: string) => openStream(tenant, "GET", "/events/stream", { url });
  const streams = await Promise.all(Array.from({ length: 10 }, () => open(killed.url)));
  expect(new Set(streams.map(({ status }) => status))).toEqual(new Set([200]));
  expect((await open(other.url)).status).toBe(409);

  await killed.end("SIGKILL");
  await expect.poll(async () => (await open(other.url)).status).toBe(200);
  await other.end();
});

test("SIGTERM to the worker completes and records the attempts in progress", async () => {
  const receiver = await startReceiver();
  const responses = holdResponses(receiver);
  const tenant = await newTenant();
  const webhook = await newWebhook(receiver.url, tenant.identity.partition);
  for (let index = 0; index < events; index++)
    await call(tenant, "POST", "/conversations", { channelId: "web" });
  const worker = await startWorker();
  await receiver.received(3);
  const ended = worker.end("SIGTERM");
  responses.release();
  expect(await ended).toBe(0);

  const sent = receiver.requests.length;
  expect(await countByStatus(webhook.partition, webhook.id)).toEqual({
    DELIVERED: sent,
    PENDING: events - sent,
  });
  expect(await countAttempts(webhook.partition)).toBe(sent);
  expect(
    await db().delivery.count({ where: { ...webhook.partition, leaseHolder: { not: null } } }),
  ).toBe(0);
  await receiver.close();
});
