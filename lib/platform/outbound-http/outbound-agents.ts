import { Agent } from "undici";
import { guardedConnector } from "./guarded-connector";

/**
 * Shorter than the idle timeout of most servers, so that a request rarely uses a connection that is
 * being closed.
 */
const keepAliveMs = 4_000;
const maximumKeepAliveMs = 15_000;
const idleAgentMs = 30_000;
const maximumAgents = 512;
const maximumHeaderBytes = 16_384;

type Entry = { agent: Agent; inUse: number; lastUsedAt: number };

/** Ordered by last use. One agent per webhook, so that no connection ever serves two. */
const agents = new Map<string, Entry>();
let sweeper: NodeJS.Timeout | undefined;

/**
 * Runs `work` with the agent of that key; its connections stay open for a few seconds afterwards.
 */
export async function withAgent<Result>(
  key: string,
  timeoutMs: number,
  work: (agent: Agent) => Promise<Result>,
): Promise<Result> {
  const entry = agents.get(key) ?? openAgent(timeoutMs);
  // Deleted and inserted again: a Map keeps insertion order, so the first entry is the least
  // recently used.
  agents.delete(key);
  agents.set(key, entry);
  entry.inUse++;
  try {
    return await work(entry.agent);
  } finally {
    entry.inUse--;
    entry.lastUsedAt = Date.now();
  }
}

function openAgent(timeoutMs: number): Entry {
  if (agents.size >= maximumAgents)
    closeIdleAgents({ unusedSince: Number.POSITIVE_INFINITY, atMost: 1 });
  sweeper ??= setInterval(
    () => closeIdleAgents({ unusedSince: Date.now() - idleAgentMs }),
    idleAgentMs / 2,
  ).unref();

  const agent = new Agent({
    connect: guardedConnector(timeoutMs),
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: maximumKeepAliveMs,
    maxHeaderSize: maximumHeaderBytes,
    // undici's own timers only measure idle time. One deadline covers the whole request instead.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return { agent, inUse: 0, lastUsedAt: Date.now() };
}

function closeIdleAgents({
  unusedSince,
  atMost = maximumAgents,
}: {
  unusedSince: number;
  atMost?: number;
}): void {
  let closed = 0;
  for (const [key, { agent, inUse, lastUsedAt }] of agents) {
    if (closed >= atMost) return;
    if (inUse > 0 || lastUsedAt > unusedSince) continue;
    agents.delete(key);
    agent.close().catch(() => {});
    closed++;
  }
}

/** For shutdown: ends every connection, including those with requests in progress. */
export async function closeOutboundAgents(): Promise<void> {
  clearInterval(sweeper);
  sweeper = undefined;
  const open = [...agents.values()];
  agents.clear();
  await Promise.all(open.map(({ agent }) => agent.destroy()));
}
