import { Agent } from "undici";
import { guardedConnector } from "./guarded-connector";

/**
 * Shorter than most servers keep an idle connection, so that a request rarely meets one that is
 * just being closed.
 */
const keepAliveMs = 4_000;
const maximumKeepAliveMs = 15_000;
const idleAgentMs = 30_000;
const maximumAgents = 512;
const maximumHeaderBytes = 16_384;

type Entry = { agent: Agent; inUse: number; lastUsedAt: number };

/**
 * In the order of last use. One agent for each webhook, so that no connection ever serves two of
 * them.
 */
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
  // Taken out and put in again: a Map keeps the order of insertion, and the first one is then the
  // longest unused.
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
    // undici's own timers measure idleness only. One deadline stands around the whole request
    // instead.
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

/** For shutdown: ends every connection, and with it whatever is still under way. */
export async function closeOutboundAgents(): Promise<void> {
  clearInterval(sweeper);
  sweeper = undefined;
  const open = [...agents.values()];
  agents.clear();
  await Promise.all(open.map(({ agent }) => agent.destroy()));
}
