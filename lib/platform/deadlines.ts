/** How late a deadline may pass. */
const tickMs = 100;

type Deadline = { atTick: number; pass: () => void };

// Time is counted in ticks. A process that was stopped or starved sees one tick, however long it
// took, and reads what has arrived before the next.
const deadlines = new Set<Deadline>();
let tick = 0;
let timer: NodeJS.Timeout | undefined;

/**
 * Calls `pass` once this time is over, unless it was cancelled. All deadlines share one timer: a
 * request nearly always ends before its deadline, and a timer of its own would cost more than the
 * wait.
 * @returns a function that cancels the deadline
 */
export function atDeadline(withinMs: number, pass: () => void): () => void {
  const deadline = { atTick: tick + Math.ceil(withinMs / tickMs), pass };
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
