/** How late a deadline may pass. */
const tickMs = 100;

type Deadline = { atMs: number; pass: () => void };

const deadlines = new Set<Deadline>();
let timer: NodeJS.Timeout | undefined;

/**
 * Calls `pass` once this time is over, unless it was cancelled. All deadlines share one timer: a
 * request nearly always ends before its deadline, and a timer of its own would cost more than the
 * wait.
 * @returns a function that cancels the deadline
 */
export function atDeadline(withinMs: number, pass: () => void): () => void {
  const deadline = { atMs: performance.now() + withinMs, pass };
  deadlines.add(deadline);
  timer ??= setInterval(examine, tickMs).unref();
  return () => deadlines.delete(deadline);
}

function examine(): void {
  const nowMs = performance.now();
  for (const deadline of deadlines) {
    if (deadline.atMs > nowMs) continue;
    deadlines.delete(deadline);
    deadline.pass();
  }
  if (deadlines.size > 0) return;
  clearInterval(timer);
  timer = undefined;
}
