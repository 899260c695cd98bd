import { Client } from "undici";
import { guardedConnector } from "./guarded-connector";

/**
 * Shorter than the idle timeout of most servers, so that a request rarely uses a connection that is
 * being closed.
 */
const keepAliveMs = 4_000;
const maximumKeepAliveMs = 15_000;
const idlePoolMs = 30_000;
const maximumPools = 512;
const maximumHeaderBytes = 16_384;

/** The connections of one webhook to its URL. Each of undici's clients has one connection. */
export type OutboundPool = {
  readonly url: string;
  /** The target of a request to the URL. */
  readonly path: string;
  readonly open: () => Client;
  readonly clients: Set<Client>;
  /**
   * The idle clients. The last one was used most recently, so its connection is most likely open.
   */
  readonly idle: Client[];
  lastUsedAtMs: number;
};

/** Keyed by webhook, so that no connection ever serves two. */
const pools = new Map<string, OutboundPool>();
let sweeper: NodeJS.Timeout | undefined;

/**
 * Returns the pool of that key, whose connections stay open for a few seconds after a request. If
 * the URL has changed since, the pool is a new one. Null if the URL is not a valid one.
 */
export function outboundPool(key: string, url: string, timeoutMs: number): OutboundPool | null {
  const known = pools.get(key);
  if (known?.url === url) return known;
  if (!URL.canParse(url) || !/^https?:/i.test(url)) return null;
  if (known) close(key, known);
  else if (pools.size >= maximumPools) closeLeastRecentlyUsed();
  sweeper ??= setInterval(closeUnused, idlePoolMs / 2).unref();

  const { origin, pathname, search } = new URL(url);
  const options = {
    connect: guardedConnector(timeoutMs),
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: maximumKeepAliveMs,
    maxHeaderSize: maximumHeaderBytes,
    // undici's own timers only measure idle time. One deadline covers the whole request instead.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  const pool = {
    ...{ url, path: pathname + search, lastUsedAtMs: performance.now() },
    ...{ open: () => new Client(origin, options), clients: new Set<Client>(), idle: [] },
  };
  pools.set(key, pool);
  return pool;
}

/**
 * A client for one request. Return it afterwards. undici's own pool is not used, because it opens a
 * new connection after each aborted request, even if there is nothing to send.
 */
export function takeClient(pool: OutboundPool): Client {
  const idle = pool.idle.pop();
  if (idle) return idle;
  const client = pool.open();
  pool.clients.add(client);
  return client;
}

/** @param isReusable whether the connection can serve another request; otherwise it is closed */
export function returnClient(pool: OutboundPool, client: Client, isReusable: boolean): void {
  pool.lastUsedAtMs = performance.now();
  if (isReusable && pool.clients.has(client)) {
    pool.idle.push(client);
    return;
  }
  pool.clients.delete(client);
  client.destroy().catch(() => {});
}

function closeUnused(): void {
  const unusedSinceMs = performance.now() - idlePoolMs;
  for (const [key, pool] of pools)
    if (!isInUse(pool) && pool.lastUsedAtMs < unusedSinceMs) close(key, pool);
}

function closeLeastRecentlyUsed(): void {
  let oldest: [string, OutboundPool] | undefined;
  for (const entry of pools) {
    if (isInUse(entry[1])) continue;
    if (!oldest || entry[1].lastUsedAtMs < oldest[1].lastUsedAtMs) oldest = entry;
  }
  if (oldest) close(...oldest);
}

const isInUse = ({ clients, idle }: OutboundPool) => clients.size > idle.length;

/** Clients that are in use are closed when they are returned. */
function close(key: string, { clients, idle }: OutboundPool): void {
  pools.delete(key);
  clients.clear();
  for (const client of idle) client.destroy().catch(() => {});
}

/** For shutdown: ends every connection, including those with requests in progress. */
export async function closeOutboundPools(): Promise<void> {
  clearInterval(sweeper);
  sweeper = undefined;
  const clients = [...pools.values()].flatMap((pool) => [...pool.clients]);
  pools.clear();
  await Promise.all(clients.map((client) => client.destroy()));
}
