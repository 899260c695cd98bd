/** A deadline may pass this much too late. */
const tickMs = 100;

type Deadline = { atTick: number; pass: () => void };

// Time is counted in ticks. For a process that was stopped or starved, the pause is a single tick,
// so it reads what has arrived before the next one.
const deadlines = new Set<Deadline>();
let tick = 0;
let timer: NodeJS.Timeout | undefined;

/**
 * Calls `pass` after this time, unless it is canceled first. All deadlines share one timer, because
 * nearly every request ends before its deadline, and a timer for each would cost more than waiting
 * for it.
 * @returns a function that cancels the deadline
 */
export function atDeadline(withinMs: number, pass: () => void): () => void {
  // The next tick of a running timer may be a moment away, so it does not count.
  const nextTicks = Math.ceil(withinMs / tickMs) + (timer ? 1 : 0);
  const deadline = { atTick: tick + nextTicks, pass };
  deadlines.add(deadline);
  timer ??= setInterval(examine, tickMs).unref();
  return () => deadlines.delete(deadline);
}

function examine(): void {
  tick++;
  for (const deadline of deadlines) {
    if (deadline.atTick > tick) continue;
    deadlines.delete(deadline);
    deadline.pass();
  }
  if (deadlines.size > 0) return;
  clearInterval(timer);
  timer = undefined;
}
