import { processNextDocument, roundRobinStart } from "@/lib/knowledge/documents/process-document";
import { repeat } from "./repeat";

const pollMs = 1_000;
/** Each costs a process while it runs. */
const defaultConcurrency = 2;

type Options = {
  /** Takes only what has waited for so long: beside Inngest, which processes the rest. */
  overdueSeconds?: number;
  concurrency?: number;
  /** How long it waits, when there is nothing to do, before it looks again. */
  pauseMs?: number;
};

/**
 * Processes documents until it is stopped. Looks once a second, and at once when it is woken. Any
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

  /** What is under way goes back at once, for whoever runs next. */
  async function stop(): Promise<void> {
    stopping.abort();
    await Promise.all(loops.map((loop) => loop.stop()));
  }

  return { wake: () => loops.forEach((loop) => void loop.wake()), stop };
}
