import { setTimeout as sleep } from "node:timers/promises";
import { Agent, request } from "undici";
import { scopes } from "@/lib/api-keys/scopes";
import { createApiKey } from "@/lib/api-keys/service";
import { mutate, system } from "@/lib/platform/caller";
import { db, pool } from "@/lib/platform/db";
import { createTenant } from "@/lib/tenants/service";
import { Parlance } from "@/sdk/src/index";
import { type RunningProcess, startWeb } from "../support/processes";
import type { Findings } from "./check";
import { randomFrom } from "./random";

export type FeedOptions = {
  seed: number;
  /** How long the writers run. */
  seconds: number;
  /** Clients of the feed. Every second one streams. */
  pollers: number;
  writers: number;
  webs: number;
  /** The number of kills of web processes, spread over the run. */
  kills: number;
  report?: (line: string) => void;
};

type ApiResponse = { status: number; text: string };
type Send = (method: string, path: string, body?: object, key?: string) => Promise<ApiResponse>;

const pageSize = 100;
const emptyPauseMs = 10;
const retryPauseMs = 20;
/**
 * How far a client of `updatedSince` goes back from the newest change it has seen. The guide
 * recommends a minute.
 */
const overlapMs = 5_000;
const sharedConversations = 8;

/**
 * Runs several web processes on the database of DATABASE_URL, writers that use all of them, and
 * clients that follow the event feed and the changed conversations. Web processes are killed and
 * restarted, and events that all clients have read are deleted, including those of cursors. At the
 * end, each client must have seen each event once.
 */
export async function runFeed(options: FeedOptions): Promise<Findings> {
  const { seed, seconds, report = () => {} } = options;
  const random = randomFrom(seed);
  const { tenantId, key } = await newTenant();
  const webs = await startWebs(options.webs);
  const { send, close } = newSender(key, webs.urls);
  try {
    const stopAt = Date.now() + seconds * 1_000;
    const state = { isWriting: true };
    const pollers = Array.from({ length: options.pollers }, () => ({
      seen: new Set<string>(),
      doubled: 0,
    }));
    const stop = new AbortController();
    const following = pollers.map((poller, index) =>
      index % 2 === 0
        ? follow(send, poller, state)
        : streamEvents({ key, urls: webs.urls, poller, signal: stop.signal }),
    );
    const changes = new Map<string, string>();
    const catchingUp = catchUp(send, changes, state);

    const shared = await Promise.all(
      Array.from({ length: sharedConversations }, (_, index) =>
        openConversation(send, `shared-${index}`),
      ),
    );
    const writes = Array.from({ length: options.writers }, (_, index) =>
      write(send, { index, shared, stopAt, random: randomFrom(seed + 1 + index) }),
    );
    const { purged, killed } = await disturb({
      options,
      webs,
      random,
      stopAt,
      tenantId,
      pollers,
      report,
    });
    const written = (await Promise.all(writes)).reduce((sum, count) => sum + count, 0);
    report(`${written} writes were acknowledged; reading the feed to its end`);

    // The feed ends before the oldest running transaction, which ends soon.
    while (await isHeldBack(tenantId)) await sleep(emptyPauseMs);
    state.isWriting = false;
    await hasSeenLast(tenantId, pollers);
    stop.abort();
    await Promise.all([...following, catchingUp]);

    const { rows } = await pool().query<{ id: string }>(
      "SELECT id FROM events WHERE tenant_id = $1",
      [tenantId],
    );
    const truth = new Set([...purged, ...rows.map(({ id }) => id)]);
    const missed = pollers.map(({ seen }) => [...truth].filter((id) => !seen.has(id)).length);
    const doubled = pollers.map((poller) => poller.doubled);
    const stale = await findStale(tenantId, changes);
    const sum = (counts: number[]) => counts.reduce((total, count) => total + count, 0);
    const violations = [
      ...missed.flatMap((count, index) =>
        count > 0 ? [`client ${index} missed ${count} of ${truth.size} events`] : [],
      ),
      ...doubled.flatMap((count, index) =>
        count > 0 ? [`client ${index} saw ${count} events twice`] : [],
      ),
      ...(stale.length > 0
        ? [`updatedSince missed the last change of ${stale.length} conversations`]
        : []),
    ];
    return {
      violations,
      figures: {
        "writes acknowledged": written,
        events: truth.size,
        "of them deleted while they were followed": purged.size,
        "clients of the feed": pollers.length,
        "web processes": options.webs,
        "kills of web": killed,
        missed: sum(missed),
        doubled: sum(doubled),
        "conversations whose last change updatedSince missed": stale.length,
      },
    };
  } finally {
    await Promise.all([close(), webs.stop()]);
  }
}

async function newTenant() {
  const { id: tenantId } = await createTenant(db(), { name: "Feed" });
  const input = { name: "feed", scopes: [...scopes], rateLimitPerMinute: 10_000_000 };
  const { key } = await mutate(system({ tenantId, environment: "test" }), (caller) =>
    createApiKey(caller, input),
  );
  return { tenantId, key };
}

async function startWebs(count: number) {
  const running: (RunningProcess | null)[] = [];
  const urls: (string | null)[] = [];
  const start = async (place: number) => {
    const web = await startWeb({ DATABASE_POOL_SIZE: "10" });
    running[place] = web;
    urls[place] = web.url;
  };
  await Promise.all(Array.from({ length: count }, (_, place) => start(place)));
  return {
    urls,
    /** Kills a process, and starts another one. */
    kill: async (place: number) => {
      const web = running[place];
      running[place] = null;
      urls[place] = null;
      await web?.end("SIGKILL");
      await start(place);
    },
    stop: () => Promise.all(running.map((web) => web?.end("SIGKILL"))),
  };
}

/** Sends to any of the processes, and retries until one of them responds. */
function newSender(key: string, urls: (string | null)[]) {
  const dispatcher = new Agent({ connections: 64, connect: { timeout: 2_000 } });
  let turn = 0;
  const send: Send = async (method, path, body, idempotencyKey) => {
    for (;;) {
      const url = urls[turn++ % urls.length];
      const response = url && (await sendOnce(url, method, path, body, idempotencyKey));
      if (
        response &&
        response.status < 500 &&
        response.status !== 429 &&
        !response.text.includes("idempotency-in-progress")
      )
        return response;
      await sleep(retryPauseMs);
    }
  };
  async function sendOnce(
    url: string,
    method: string,
    path: string,
    body?: object,
    idempotencyKey?: string,
  ): Promise<ApiResponse | null> {
    const headers: Record<string, string> = { authorization: `Bearer ${key}` };
    if (body) headers["content-type"] = "application/json";
    if (idempotencyKey) headers["idempotency-key"] = idempotencyKey;
    try {
      const options = {
        dispatcher,
        method: method as "GET",
        headers,
        body: body ? JSON.stringify(body) : null,
      };
      const response = await request(`${url}/v1/public${path}`, options);
      return { status: response.statusCode, text: await response.body.text() };
    } catch {
      return null;
    }
  }
  return { send, close: () => dispatcher.destroy() };
}

function parse<Body>({ status, text }: ApiResponse): Body {
  if (status >= 300) throw new Error(`${status} ${text}`);
  return JSON.parse(text) as Body;
}

const openConversation = async (send: Send, key: string) =>
  parse<{ id: string }>(
    await send("POST", "/conversations", { channelId: "feed", message: "Hi" }, key),
  ).id;

type Writing = { index: number; shared: string[]; stopAt: number; random: () => number };

/** @returns how many changes were acknowledged */
async function write(send: Send, { index, shared, stopAt, random }: Writing): Promise<number> {
  let count = 0;
  let own = parse<{ id: string }>(
    await send("POST", "/customers", { name: "Writer" }, `w${index}-customer`),
  ).id;
  for (; Date.now() < stopAt; count++) {
    const key = `w${index}-${count}`;
    const conversation = shared[Math.floor(random() * shared.length)];
    const choice = random();
    // A single statement, a contended row, and transactions of several statements.
    if (choice < 0.3) await openConversation(send, key);
    else if (choice < 0.6)
      parse(await send("POST", `/conversations/${conversation}/messages`, { text: key }, key));
    else if (choice < 0.75)
      parse(await send("PATCH", `/conversations/${conversation}`, { subject: key }, key));
    else if (choice < 0.9) parse(await send("PATCH", `/customers/${own}`, { name: key }, key));
    else own = parse<{ id: string }>(await send("POST", "/customers", { name: key }, key)).id;
  }
  return count;
}

type State = { isWriting: boolean };
type Poller = { seen: Set<string>; doubled: number };
type Page<Item> = { data: Item[]; nextCursor?: string };

/** Continues after the last event it has seen, as the guide recommends. */
async function follow(send: Send, poller: Poller, state: State): Promise<void> {
  let cursor = "";
  for (let isLast = false; ; ) {
    const page = parse<Page<{ id: string }>>(
      await send("GET", `/events?order=asc&limit=${pageSize}${cursor}`),
    );
    for (const { id } of page.data) {
      if (poller.seen.has(id)) poller.doubled++;
      poller.seen.add(id);
      cursor = `&cursor=${id}`;
    }
    if (page.nextCursor) continue;
    if (isLast) return;
    isLast = !state.isWriting;
    await sleep(emptyPauseMs);
  }
}

const anyWeb = "http://any-web.test";

/** Streams with the client of the SDK, which continues at another process when one is killed. */
async function streamEvents({
  key,
  urls,
  poller,
  signal,
}: {
  key: string;
  urls: (string | null)[];
  poller: Poller;
  signal: AbortSignal;
}): Promise<void> {
  let turn = 0;
  const client = new Parlance(key, {
    baseUrl: anyWeb,
    maxRetries: Number.POSITIVE_INFINITY,
    fetch: async (input, init) => {
      const url = urls[turn++ % urls.length];
      if (!url) throw new TypeError("this process is starting");
      return fetch(String(input).replace(anyWeb, url), init);
    },
    wait: () => sleep(retryPauseMs),
  });
  try {
    for await (const { id } of client.events.stream({ cursor: "start" }, { signal })) {
      if (poller.seen.has(id)) poller.doubled++;
      poller.seen.add(id);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** What a client has not seen after a minute, it has missed. */
async function hasSeenLast(tenantId: string, pollers: Poller[]): Promise<void> {
  const { rows } = await pool().query<{ id: string }>(
    "SELECT id FROM events WHERE tenant_id = $1 ORDER BY xact DESC, id DESC LIMIT 1",
    [tenantId],
  );
  const last = rows[0]?.id ?? "";
  const until = Date.now() + 60_000;
  while (!pollers.every(({ seen }) => seen.has(last)) && Date.now() < until)
    await sleep(emptyPauseMs);
}

/** Repeatedly reads the changes since shortly before the newest change it has seen. */
async function catchUp(send: Send, changes: Map<string, string>, state: State): Promise<void> {
  let newest = new Date().toISOString();
  for (let isLast = false; ; ) {
    const since = new Date(Date.parse(newest) - overlapMs).toISOString();
    for (let cursor: string | undefined, isMore = true; isMore; isMore = cursor !== undefined) {
      const path = `/conversations?order=asc&limit=${pageSize}&updatedSince=${since}${cursor ? `&cursor=${cursor}` : ""}`;
      const page = parse<Page<{ id: string; updatedAt: string }>>(await send("GET", path));
      for (const { id, updatedAt } of page.data) {
        changes.set(id, updatedAt);
        if (updatedAt > newest) newest = updatedAt;
      }
      cursor = page.nextCursor;
    }
    if (isLast) return;
    isLast = !state.isWriting;
    await sleep(emptyPauseMs);
  }
}

type Disturbing = {
  options: FeedOptions;
  webs: Awaited<ReturnType<typeof startWebs>>;
  random: () => number;
  stopAt: number;
  tenantId: string;
  pollers: Poller[];
  report: (line: string) => void;
};

/**
 * Kills web processes, and deletes events that all clients have read. @returns the ids of the deleted
 * events, and the number of kills
 */
async function disturb({
  options,
  webs,
  random,
  stopAt,
  tenantId,
  pollers,
  report,
}: Disturbing): Promise<{ purged: Set<string>; killed: number }> {
  const purged = new Set<string>();
  let killed = 0;
  const pauseMs = (stopAt - Date.now()) / (options.kills + 1);
  while (killed < options.kills) {
    await sleep(Math.max(0, Math.min(pauseMs * (0.5 + random()), stopAt - Date.now())));
    // Starting web processes takes a while on a busy machine.
    if (killed > 0 && Date.now() >= stopAt) break;
    await webs.kill(Math.floor(random() * options.webs));
    killed++;
    const ids = [...(pollers[0]?.seen ?? [])].filter(
      (id) => !purged.has(id) && pollers.every(({ seen }) => seen.has(id)),
    );
    const { rows } = await pool().query<{ id: string }>(
      "DELETE FROM events WHERE tenant_id = $1 AND id = ANY($2) RETURNING id",
      [tenantId, ids],
    );
    for (const { id } of rows) purged.add(id);
    if (killed % 10 === 0)
      report(`${killed} kills, ${purged.size} events deleted after they were read`);
  }
  return { purged, killed };
}

async function isHeldBack(tenantId: string): Promise<boolean> {
  const sql = `SELECT EXISTS (SELECT 1 FROM events WHERE tenant_id = $1 AND xact >= pg_snapshot_xmin(pg_current_snapshot())) AS "isHeldBack"`;
  return (
    (await pool().query<{ isHeldBack: boolean }>(sql, [tenantId])).rows[0]?.isHeldBack ?? false
  );
}

/** Conversations that a client of `updatedSince` missed or has in an older state. */
async function findStale(tenantId: string, changes: Map<string, string>): Promise<string[]> {
  const rows = await db().conversation.findMany({
    where: { tenantId },
    select: { id: true, updatedAt: true },
  });
  return rows
    .filter(({ id, updatedAt }) => changes.get(id) !== updatedAt.toISOString())
    .map(({ id }) => id);
}
