import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { expect, test } from "vitest";
import { GET } from "@/app/v1/public/events/stream/route";
import { maximumStreams, streamTimes } from "@/lib/api/event-stream";
import { revokeApiKey, updateApiKey } from "@/lib/api-keys/service";
import { createCustomer } from "@/lib/customers/service";
import { mutate } from "@/lib/platform/caller";
import { db, pool, poolState } from "@/lib/platform/db";
import { maximumOfProcess } from "@/lib/platform/stream-slots";
import { eventsChannel, streamsLock } from "@/lib/platform/wake-streams";
import { newId } from "@/lib/resources/ids";
import { createWebServer, drain } from "@/server/web-server";
import { baseUrl, call, newKey, newTenant, type TestTenant } from "../support/api";
import { nextIds, openStream, openWhenFree, type TestStream } from "../support/event-stream";
import { feedShowsAll, holdCustomer, positions } from "../support/feed";
import { interceptQueries } from "../support/queries";
import { head, openRaw } from "../support/raw-http";

/** Some tests reach into the server's process, and need it to be this one. */
const isNext = process.env.TEST_SERVER === "next";

const addCustomer = async (tenant: TestTenant, name: string = randomUUID()) =>
  (await call(tenant, "POST", "/customers", { name })).body;

test("200 each event arrives with its id and as it is stored, right after it happened", async () => {
  const tenant = await newTenant();
  const stream = await openStream(tenant, "GET", "/events/stream");
  expect([stream.status, stream.headers["content-type"], stream.headers["cache-control"]]).toEqual([
    200,
    "text/event-stream",
    "no-store, no-transform",
  ]);
  expect(stream.headers).toMatchObject({
    "x-request-id": expect.stringMatching(/^req_/),
    ratelimit: expect.stringContaining('"default";r='),
  });

  const customer = await addCustomer(tenant, "Zoë\nof two lines");
  await call(tenant, "PATCH", `/customers/${customer.id}`, { name: "Zoë" });
  for (const type of ["customer.created", "customer.updated"]) {
    let block = await stream.block();
    while (!block?.data) block = await stream.block();
    const stored = await db().event.findFirstOrThrow({
      where: { tenantId: tenant.tenantId, type },
    });
    expect(block).toMatchObject({ id: stored.id, data: stored.payload });
    expect(block.event).toEqual((await call(tenant, "GET", `/events/${stored.id}`)).body);
  }
  stream.close();
});

test("200 streams at the same position each get every event", async () => {
  const tenant = await newTenant();
  const streams = await Promise.all(
    Array.from({ length: 4 }, () => openStream(tenant, "GET", "/events/stream?cursor=start")),
  );
  for (let index = 0; index < 12; index++) await addCustomer(tenant);
  for (const stream of streams) expect(await nextIds(stream, 12)).toEqual(await positions(tenant));
  for (const stream of streams) stream.close();
});

test("200 a stream resumes after the last id: nothing is missed, and nothing comes twice", async () => {
  const tenant = await newTenant();
  const first = await openStream(tenant, "GET", "/events/stream");
  await first.block();
  // It is not the id of an event yet, but it is a valid position.
  const beforeAll = first.lastId() ?? "";
  expect(beforeAll).toBe("start");
  first.close();
  for (let index = 0; index < 4; index++) await addCustomer(tenant);
  await feedShowsAll(tenant);
  const all = await positions(tenant);

  const second = await openStream(tenant, "GET", "/events/stream", {
    headers: { "last-event-id": beforeAll },
  });
  expect(await nextIds(second, 2)).toEqual(all.slice(0, 2));
  second.close();
  // The header is what a client sends when it reconnects to the same URL.
  const third = await openStream(tenant, "GET", "/events/stream?cursor=start", {
    headers: { "last-event-id": second.lastId() ?? "" },
  });
  expect(await nextIds(third, 2)).toEqual(all.slice(2));
  third.close();

  const byQuery = await openStream(tenant, "GET", `/events/stream?cursor=${all[2]}`);
  const later = (await addCustomer(tenant)).id;
  expect(await byQuery.event()).toMatchObject({ id: all[3] });
  expect(await byQuery.event()).toMatchObject({ data: { object: { id: later } } });
  byQuery.close();
  // Without a cursor, a stream begins with the next event, and says where that is.
  const fromNow = await openStream(tenant, "GET", "/events/stream");
  expect((await fromNow.block())?.id).toBe((await positions(tenant)).at(-1));
  fromNow.close();
});

test("200 a stream shows no event ahead of one that is still being committed, and misses neither", async () => {
  const tenant = await newTenant();
  const stream = await openStream(tenant, "GET", "/events/stream?cursor=start");
  const commit = await holdCustomer(tenant, "Slow");
  await addCustomer(tenant, "Quick");
  await commit();

  const names = [await stream.event(), await stream.event()].map(
    (event) => event?.data.object.name,
  );
  expect(names).toEqual(["Slow", "Quick"]);
  stream.close();
});

test("200 a cursor ahead of one that is still being committed: nothing before it comes again", async () => {
  const tenant = await newTenant();
  const commit = await holdCustomer(tenant, "Slow");
  await addCustomer(tenant, "Quick");
  const [quick] = (await call(tenant, "GET", "/events?limit=1")).body.data;
  const stream = await openStream(tenant, "GET", `/events/stream?cursor=${quick.id}`);
  expect((await stream.block())?.id).toBe(quick.id);
  // The stream reads meanwhile, several times.
  for (let count = 0; count < 10; count++) await call(tenant, "GET", "/events?limit=1");
  await commit();
  await addCustomer(tenant, "Later");
  expect((await stream.event())?.data.object.name).toBe("Later");
  stream.close();
});

test("200 only the events of the given types, of this tenant and environment", async () => {
  const tenant = await newTenant();
  const [stranger, live] = await Promise.all([
    newTenant(),
    newKey(tenant, { environment: "live" }),
  ]);
  const some = await openStream(
    tenant,
    "GET",
    "/events/stream?types=customer.updated,conversation.created",
  );
  const every = await openStream(tenant, "GET", "/events/stream");
  await addCustomer(stranger);
  await addCustomer(live);
  const customer = await addCustomer(tenant, "Ada");
  await call(tenant, "POST", "/agents", { name: "Concierge" });
  await call(tenant, "PATCH", `/customers/${customer.id}`, { name: "Grace" });
  await call(tenant, "POST", "/conversations", { channelId: "web", message: "Hello" });

  const typesOf = async (stream: TestStream, count: number) => {
    const types: (string | undefined)[] = [];
    while (types.length < count) types.push((await stream.event())?.type);
    return types;
  };
  expect(await typesOf(some, 2)).toEqual(["customer.updated", "conversation.created"]);
  expect(await typesOf(every, 5)).toEqual([
    "customer.created",
    "agent.created",
    "customer.updated",
    "conversation.created",
    "message.received",
  ]);
  some.close();
  every.close();
});

test.skipIf(isNext)(
  "streams whose events cannot be read do not hold up the others of their environment",
  async () => {
    const tenant = await newTenant();
    const path = "/events/stream";
    const ofTypes = await openStream(tenant, "GET", `${path}?types=customer.created`);
    const ofAll = await openStream(tenant, "GET", path);
    await interceptQueries(
      async (name, send) => {
        if (!name.startsWith("follow_events_of_types")) return send();
        throw new Error("canceling statement due to statement timeout");
      },
      async () => {
        await addCustomer(tenant);
        expect(await ofAll.event()).toMatchObject({ type: "customer.created" });
      },
    );
    // And they get what they missed.
    expect(await ofTypes.event()).toMatchObject({ type: "customer.created" });
    for (const stream of [ofTypes, ofAll]) stream.close();
  },
);

test("422 for an unknown type, a cursor of no event or of another tenant, and an unknown parameter", async () => {
  const [tenant, stranger] = await Promise.all([newTenant(), newTenant()]);
  await addCustomer(stranger);
  const [theirs = ""] = await positions(stranger);
  const issues = async (query: string, headers = {}) => {
    const { status, body } = await call(
      tenant,
      "GET",
      `/events/stream?${query}`,
      undefined,
      headers,
    );
    const kind = body.type.split("/").at(-1);
    return [status, kind, body.errors[0].location, body.errors[0].pointer];
  };
  expect(await issues("types=customer.created,nonsense")).toEqual([
    422,
    "validation",
    "query",
    "/types",
  ]);
  expect(await issues("since=2026-01-31T09:30:00Z")).toEqual([
    422,
    "validation",
    "query",
    "/since",
  ]);
  for (const cursor of ["nonsense", theirs, newId("event"), newId("customer")]) {
    expect(await issues(`cursor=${cursor}`)).toEqual([422, "invalid-cursor", "query", "/cursor"]);
    expect(await issues("", { "last-event-id": cursor })).toEqual([
      422,
      "invalid-cursor",
      "header",
      "/Last-Event-ID",
    ]);
  }
  // A refused stream takes no slot.
  const streams = await openAll(tenant, 10);
  for (const stream of streams) stream.close();
});

const openAll = async (tenant: TestTenant, count: number): Promise<TestStream[]> => {
  const streams: TestStream[] = [];
  for (let index = 0; index < count; index++) {
    const stream = await openStream(tenant, "GET", "/events/stream");
    expect(stream.status).toBe(200);
    streams.push(stream);
  }
  return streams;
};

test("409 for the eleventh open stream of a key, until one of the ten is closed", async () => {
  const tenant = await newTenant();
  const streams = await openAll(tenant, 10);
  const refused = await call(tenant, "GET", "/events/stream");
  expect([refused.status, refused.body.limit, refused.body.current]).toEqual([409, 10, 10]);
  expect(refused.body.type).toMatch(/limit-reached$/);
  // A title that is also true for the limit of a key.
  expect(refused.body.title).toBe("A limit is reached");
  expect((await call(tenant, "HEAD", "/events/stream")).status).toBe(200);
  const other = await newKey(tenant);
  (await openStream(other, "GET", "/events/stream")).close();

  streams.pop()?.close();
  const opened = await openWhenFree(() => openStream(tenant, "GET", "/events/stream"));
  for (const stream of [...streams, opened]) stream.close();
});

test.skipIf(isNext)(
  "409 for more streams than an environment may have, whatever their keys",
  async () => {
    const [tenant, stranger] = await Promise.all([newTenant(), newTenant()]);
    const usual = maximumStreams.environment;
    maximumStreams.environment = 12;
    try {
      const other = await newKey(tenant);
      const streams = [...(await openAll(tenant, 10)), ...(await openAll(other, 2))];
      const refused = await call(other, "GET", "/events/stream");
      expect([refused.status, refused.body.limit, refused.body.current]).toEqual([409, 12, 12]);
      expect(refused.body.detail).toContain("of an environment together");
      // The refused stream took no slot of its key, and others are not affected.
      const live = await newKey(tenant, { environment: "live" });
      for (const each of [live, stranger])
        for (const stream of await openAll(each, 10)) stream.close();

      streams.shift()?.close();
      streams.push(await openWhenFree(() => openStream(other, "GET", "/events/stream")));
      for (const stream of streams) stream.close();
    } finally {
      maximumStreams.environment = usual;
    }
  },
);

test.skipIf(isNext)(
  "503 for more streams than a process may have, and 409 for more than a key may have even then",
  async () => {
    const [tenant, stranger] = await Promise.all([newTenant(), newTenant()]);
    const streams = await openAll(tenant, 10);
    const usual = maximumOfProcess.streams;
    maximumOfProcess.streams = 10;
    try {
      const refused = await call(stranger, "GET", "/events/stream");
      expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
      expect(refused.body).toMatchObject({
        type: expect.stringMatching(/unavailable$/),
        detail: expect.stringContaining("open event streams"),
        retryAfter: 5,
      });
      expect((await call(tenant, "GET", "/events/stream")).status).toBe(409);
    } finally {
      maximumOfProcess.streams = usual;
    }
    streams.push(...(await openAll(stranger, 1)));
    for (const stream of streams) stream.close();
  },
);

test("a stream that waits behind another on its connection ends with the connection", async () => {
  const tenant = await newTenant();
  const { socket, until } = await openRaw(baseUrl());
  const request = head("GET /v1/public/events/stream HTTP/1.1", {
    Authorization: `Bearer ${tenant.key}`,
  });
  socket.write(request.repeat(10));
  await until(/^id: /m);
  // Each has a slot, and only the first one can send.
  await expect.poll(() => takenSlots(tenant.keyId)).toBe(10);
  socket.destroy();
  await expect.poll(() => takenSlots(tenant.keyId)).toBe(0);
});

test("a stream that nobody reads, because its client was gone before the response, frees its slot", async () => {
  const tenant = await newTenant();
  const { slowAfterMs } = streamTimes;
  streamTimes.slowAfterMs = 300;
  try {
    const request = new Request("http://localhost/v1/public/events/stream", {
      headers: { authorization: `Bearer ${tenant.key}` },
    });
    expect((await GET(request, { params: Promise.resolve({}) })).status).toBe(200);
    await expect.poll(() => takenSlots(tenant.keyId)).toBe(0);
  } finally {
    streamTimes.slowAfterMs = slowAfterMs;
  }
});

/** How many of the ten slots of a key some process has locked. */
async function takenSlots(keyId: string): Promise<number> {
  const { rows } = await pool().query<{ taken: number }>(
    // `pg_try_advisory_lock` would take a slot that a stream is about to open.
    `SELECT count(*)::int AS taken FROM generate_series(1, 10) n JOIN pg_locks l
      ON (l.classid::int8 << 32 | l.objid::int8) = hashtextextended('stream ' || $1 || ' ' || n, 0)
      WHERE l.locktype = 'advisory' AND l.objsubid = 1 AND l.granted`,
    [keyId],
  );
  return rows[0]?.taken ?? 0;
}

test("409 counts the streams of all processes, and those of a process that died no longer count", async () => {
  const tenant = await newTenant();
  const other = new pg.Client({ connectionString: process.env.DATABASE_URL });
  await other.connect();
  await other.query(
    "SELECT pg_advisory_lock(hashtextextended('stream ' || $1 || ' ' || n, 0)) FROM generate_series(1, 9) n",
    [tenant.keyId],
  );
  const [stream] = await openAll(tenant, 1);
  expect((await call(tenant, "GET", "/events/stream")).status).toBe(409);

  await other.end();
  const streams = [stream as TestStream];
  while (streams.length < 10)
    streams.push(await openWhenFree(() => openStream(tenant, "GET", "/events/stream")));
  for (const each of streams) each.close();
});

test("a stream ends when its key is revoked or loses the scope, and other streams go on", async () => {
  const tenant = await newTenant();
  const [revoked, restricted] = await Promise.all([newKey(tenant), newKey(tenant)]);
  const [ending, restrictedStream, staying] = await Promise.all(
    [revoked, restricted, tenant].map((key) => openStream(key, "GET", "/events/stream")),
  );
  await mutate(tenant.identity, async (caller) => {
    await revokeApiKey(caller, revoked.keyId);
    await updateApiKey(caller, restricted.keyId, { scopes: ["read:customers"] });
  });
  for (const stream of [ending, restrictedStream]) {
    expect(await stream?.event()).toBeNull();
  }
  await addCustomer(tenant, "Still here");
  expect(await staying?.event()).toMatchObject({ data: { object: { name: "Still here" } } });
  staying?.close();
  expect((await call(revoked, "GET", "/events/stream")).status).toBe(401);
});

test("a stream counts as one request against the rate limit, and has one row in the request log", async () => {
  const tenant = await newTenant({ rateLimitPerMinute: 5 });
  const stream = await openStream(tenant, "GET", "/events/stream?types=customer.created");
  expect(stream.headers.ratelimit).toContain('"default";r=4');
  await mutate(tenant.identity, (caller) => createCustomer(caller, { name: "Ada" }));
  await stream.event();
  stream.close();
  expect((await call(tenant, "GET", "/account")).headers.get("ratelimit")).toContain(
    '"default";r=3',
  );
  const rows = () =>
    db().requestLog.findMany({
      where: { tenantId: tenant.tenantId, path: { startsWith: "/v1/public/events/stream" } },
    });
  await expect.poll(rows).toMatchObject([
    {
      id: stream.headers["x-request-id"],
      method: "GET",
      path: "/v1/public/events/stream?types=customer.created",
      status: 200,
    },
  ]);
});

test("no event is missed or doubled while many write, and while the client's and the server's connections are cut", async () => {
  const tenant = await newTenant();
  const writers = 6;
  const each = 25;
  let isDone = false;
  const writing = Promise.all(
    Array.from({ length: writers }, async () => {
      for (let index = 0; index < each; index++) await addCustomer(tenant);
    }),
  ).finally(() => {
    isDone = true;
  });
  const received: string[] = [];
  let lastId = "start";
  let cuts = 0;
  while (!isDone || received.length < writers * each) {
    const stream = await openStream(tenant, "GET", "/events/stream", {
      headers: { "last-event-id": lastId },
    });
    expect([200, 409, 503]).toContain(stream.status);
    // Some end after a while, others immediately.
    const count = stream.status === 200 ? (cuts * 7) % 23 : 0;
    const wanted = Math.min(count, writers * each - received.length);
    received.push(...(await nextIds(stream, wanted)));
    lastId = stream.lastId() ?? lastId;
    stream.close();
    cuts++;
    if (cuts % 3 === 0)
      await pool().query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'parlance streams' AND datname = current_database()",
      );
  }
  await writing;
  await feedShowsAll(tenant);
  expect(received).toEqual(await positions(tenant));
  expect(cuts).toBeGreaterThan(8);
});

test("an event that nobody announces arrives all the same, and the loss of the listening connection ends no stream", async () => {
  const tenant = await newTenant();
  const stream = await openStream(tenant, "GET", "/events/stream");
  const insert = async () => {
    const id = newId("event");
    await pool().query(
      "INSERT INTO events (tenant_id, environment, id, type, payload, created_at) VALUES ($1, 'test', $2, 'customer.created', $3, now())",
      [tenant.tenantId, id, JSON.stringify({ id })],
    );
    return id;
  };
  const unannounced = await insert();
  expect(await stream.event()).toMatchObject({ id: unannounced });

  await pool().query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'parlance streams' AND datname = current_database()",
  );
  const next = await insert();
  expect(await stream.event()).toMatchObject({ id: next });
  stream.close();
  await deleteEvents(tenant);
});

test.skipIf(isNext)(
  "a writer announces its events while a stream is open anywhere, and otherwise sends nothing",
  async () => {
    const [tenant, other] = await Promise.all([newTenant(), newTenant()]);
    const listener = new pg.Client({ connectionString: process.env.DATABASE_URL });
    await listener.connect();
    await listener.query(`LISTEN ${eventsChannel}`);
    const heard: (string | undefined)[] = [];
    listener.on("notification", ({ payload }) => heard.push(payload));

    // As another process that has streams.
    const reader = new pg.Client({ connectionString: process.env.DATABASE_URL });
    await reader.connect();
    // The streams of the test before may still be closing, and an announcement that is not needed
    // may still be on its way.
    const noStream = `SELECT pg_try_advisory_xact_lock(${streamsLock}) AS free`;
    await expect.poll(async () => (await reader.query(noStream)).rows).toEqual([{ free: true }]);
    await addCustomer(other);
    await expect.poll(poolState).toMatchObject({ inUse: 0, waiting: 0 });
    await reader.query(`SELECT pg_advisory_lock_shared(${streamsLock})`);
    while (!heard.some((payload) => payload?.includes(`${tenant.tenantId} test`))) {
      await addCustomer(tenant);
      await sleep(5);
    }
    expect(heard.join()).not.toContain(other.tenantId);
    await Promise.all([listener.end(), reader.end()]);
  },
);

/** Those that a test inserted are not complete events. */
const deleteEvents = ({ tenantId }: TestTenant) =>
  pool().query("DELETE FROM events WHERE tenant_id = $1", [tenantId]);

/** Our own server, in this process, so that a test can stop it or shorten its times. */
async function ownServer() {
  const server = createWebServer({
    servePages: (_request, response) => response.writeHead(404).end(),
    trustedProxyHops: 0,
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

test("a server that stops ends its streams, and waits for nothing else", async () => {
  const tenant = await newTenant();
  const { server, url } = await ownServer();
  const stream = await openStream(tenant, "GET", "/events/stream", { url });
  await stream.block();
  const stopped = drain(server);
  expect((await stream.block())?.comment).toMatch(/restarting/);
  expect(await stream.block()).toBeNull();
  await stopped;
});

test("a silent stream sends a comment, and moves the cursor past events of other types", async () => {
  const tenant = await newTenant();
  const { server, url } = await ownServer();
  const { heartbeatMs } = streamTimes;
  streamTimes.heartbeatMs = 100;
  try {
    const stream = await openStream(tenant, "GET", "/events/stream?types=agent.created", { url });
    await stream.block();
    expect(await stream.block()).toEqual({ comment: "heartbeat" });
    await addCustomer(tenant);
    const [skipped] = await positions(tenant);
    let block = await stream.block();
    while (block && !block.id) block = await stream.block();
    expect(block).toEqual({ comment: "heartbeat", id: skipped });
    stream.close();
  } finally {
    streamTimes.heartbeatMs = heartbeatMs;
    server.closeAllConnections();
    server.close();
  }
});

test("a client that does not read is cut off, and continues from its last id without a gap", async () => {
  const tenant = await newTenant();
  const { server, url } = await ownServer();
  const { slowAfterMs } = streamTimes;
  streamTimes.slowAfterMs = 300;
  try {
    // More than the system buffers of both ends hold.
    const count = 1_200;
    await pool().query(
      `INSERT INTO events (tenant_id, environment, id, type, payload, created_at)
       SELECT $1, 'test', 'evt_01' || lpad(n::text, 24, '0'), 'customer.created',
         json_build_object('id', 'evt_01' || lpad(n::text, 24, '0'), 'text', repeat('x', 20000)), now()
       FROM generate_series(1, ${count}) n`,
      [tenant.tenantId],
    );
    const slow = await openStream(tenant, "GET", "/events/stream?cursor=start", { url });
    const [response] = [slow.outgoing];
    await new Promise<void>((resolve) => {
      // Nothing is read until the server has closed the connection.
      const socket = response.socket;
      socket?.pause();
      const watch = setInterval(async () => {
        const connections = await new Promise<number>((done) =>
          server.getConnections((_error, total) => done(total)),
        );
        if (connections > 0) return;
        clearInterval(watch);
        resolve();
      }, 20);
    });
    slow.outgoing.socket?.resume();
    const before: string[] = [];
    for (let event = await slow.event(); event; event = await slow.event()) before.push(event.id);
    expect(before.length).toBeLessThan(count);

    streamTimes.slowAfterMs = slowAfterMs;
    const resumed = await openStream(tenant, "GET", "/events/stream", {
      headers: { "last-event-id": slow.lastId() ?? "start" },
    });
    const after = await nextIds(resumed, count - before.length);
    expect([...before, ...after]).toEqual(await positions(tenant));
    resumed.close();
    await deleteEvents(tenant);
  } finally {
    streamTimes.slowAfterMs = slowAfterMs;
    server.closeAllConnections();
    server.close();
  }
});
