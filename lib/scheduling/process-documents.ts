import { processNextDocument, roundRobinStart } from "@/lib/knowledge/documents/process-document";
import { repeat } from "./repeat";

const pollMs = 1_000;
/** Each one runs a separate process. */
const defaultConcurrency = 2;

type Options = {
  /**
   * Takes only documents that have waited this long. Used with Inngest, which processes the rest.
   */
  overdueSeconds?: number;
  concurrency?: number;
  /** The pause before the next check when there is nothing to do. */
  pauseMs?: number;
};

/**
 * Processes documents until it is stopped. Checks once a second, and immediately when woken. Any
 * number of these may run.
 */
export function startProcessing({
  overdueSeconds = 0,
  concurrency = defaultConcurrency,
  pauseMs = pollMs,
}: Options = {}) {
  const stopping = new AbortController();
  let turn = roundRobinStart;

  async function processNext(): Promise<number> {
    const next = await processNextDocument(turn, { overdueSeconds, signal: stopping.signal });
    turn = next ?? turn;
    return next ? 1 : 0;
  }
  const loops = Array.from({ length: concurrency }, () =>
    repeat("process documents", processNext, { pauseMs, limit: 1 }),
  );

  /** Work in progress is released immediately, for the next process. */
  async function stop(): Promise<void> {
    stopping.abort();
    await Promise.all(loops.map((loop) => loop.stop()));
  }

  return { wake: () => loops.forEach((loop) => void loop.wake()), stop };
}
