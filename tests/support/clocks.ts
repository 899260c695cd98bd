import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeEach, describe } from "vitest";
import { POST, PUT } from "@/app/api/inngest/route";
import { inngestJobClock } from "@/inngest/inngest-clock";
import { startDelivering } from "@/lib/deliveries/engine/deliver";
import {
  processNextDocument,
  type RoundRobinPosition,
  roundRobinStart,
} from "@/lib/knowledge/documents/process-document";
import { pool } from "@/lib/platform/db";
import { embeddedJobClock, type JobClock, setJobClock } from "@/lib/platform/wake-ups";
import { recurringJobs } from "@/lib/scheduling/recurring-jobs";
import { startBesideInngest } from "@/server/beside-inngest";
import { startInngestServer } from "./inngest-server";
import { type Receiver, startReceiver } from "./receiver";
import { virtualClock } from "./webhooks";

// The product's two clocks, driven by virtual time, so that one suite can hold both to the same
// promises.

export const signingKey = `signkey-test-${"0123456789abcdef".repeat(4)}`;
export const eventKey = "event-key-of-the-tests";

/** One for all tests of a file, as its address is read once. */
export const inngest = await startInngestServer(signingKey);

// The environment is parsed at the first call of env(), which comes later. Cloud mode: requests
// must be signed. The embedded clock does not mind: it is the worker's loops, and which of them a
// process starts is server/worker.ts's choice.
Object.assign(process.env, {
  JOBS: "inngest",
  INNGEST_EVENT_KEY: eventKey,
  INNGEST_SIGNING_KEY: signingKey,
  INNGEST_BASE_URL: inngest.server.url,
});
afterAll(() => inngest.server.close());

/**
 * Either clock. Nothing happens on its own: only `settle`, `advance` and `advanceTo` let it work.
 */
export type TestClock = {
  now: () => Date;
  /** Does everything that is due at this time, including what becomes due meanwhile. */
  settle: () => Promise<void>;
  /** Advances the time, and stops at each due time on the way to do the work. */
  advance: (seconds: number) => Promise<void>;
  advanceTo: (time: Date) => Promise<void>;
  /**
   * Lets the worker do its part: everything with the embedded clock, and only what is overdue with
   * Inngest.
   */
  settleWorker: () => Promise<void>;
  close: () => Promise<void>;
};

/** The minimum lateness of what a worker takes. */
type Late = { deliveries: number; documents: number };
const inTime: Late = { deliveries: 0, documents: 0 };
/**
 * Rows get their first times from the real clock: virtual time begins so far ahead of it that what
 * is raised is due, and not yet overdue.
 */
const headStartMs = 90_000;
const workersAtOnce = 2;
const settleTimeoutMs = 120_000;

const free = "(d.lease_expires_at IS NULL OR d.lease_expires_at <= $1)";

/**
 * $1 now, $2 and $3 seconds that a delivery or document must be overdue. When the next delivery or document falls due for the
 * worker, which may be past.
 */
const nextDueSql = `
  SELECT min(at) AS at FROM (
    SELECT greatest(d.requested_at + make_interval(secs => $2), d.lease_expires_at, w.next_paced_at) AS at
    FROM deliveries d JOIN webhooks w ON w.tenant_id = d.tenant_id AND w.environment = d.environment AND w.id = d.webhook_id
    WHERE d.requested_at IS NOT NULL
    UNION ALL
    SELECT greatest(d.next_attempt_at + make_interval(secs => $2), d.lease_expires_at, w.next_paced_at,
      CASE WHEN w.consecutive_failures >= 10 THEN w.probe_after END)
    FROM deliveries d JOIN webhooks w ON w.tenant_id = d.tenant_id AND w.environment = d.environment AND w.id = d.webhook_id
    WHERE d.status = 'PENDING' AND d.next_attempt_at IS NOT NULL AND w.status = 'ENABLED' AND w.consecutive_failures < 100
    UNION ALL
    SELECT d.updated_at + make_interval(secs => $3) FROM documents d WHERE d.status = 'PENDING' AND ${free}
    UNION ALL
    SELECT d.lease_expires_at FROM documents d WHERE d.status = 'PROCESSING'
  ) due`;

async function nextDue(now: Date, { deliveries, documents }: Late): Promise<Date | null> {
  const values = [now, deliveries, documents];
  const { rows } = await pool().query<{ at: Date | null }>(nextDueSql, values);
  return rows[0]?.at ?? null;
}

async function runRecurringJobs(): Promise<number> {
  let total = 0;
  for (const { work, limit } of Object.values(recurringJobs)) {
    for (let done = limit; done >= limit; total += done) done = await work(limit);
  }
  return total;
}

/** Real workers, from their start to their end. */
async function runWorkers(now: () => Date, late: Late): Promise<void> {
  const workers = Array.from({ length: workersAtOnce }, () =>
    startDelivering({ overdueSeconds: () => late.deliveries }),
  );
  for (let turn: RoundRobinPosition | null = roundRobinStart; turn; )
    turn = await processNextDocument(turn, { overdueSeconds: late.documents });
  try {
    for (const deadline = Date.now() + settleTimeoutMs; ; await sleep(5)) {
      const at = await nextDue(now(), late);
      if (!at || at > now()) return;
      if (Date.now() > deadline)
        throw new Error(`the workers leave undone what is due since ${at.toISOString()}`);
    }
  } finally {
    await Promise.all(workers.map((worker) => worker.stop()));
  }
}

async function settleWorkers(now: () => Date, late: Late): Promise<void> {
  for (;;) {
    const done = await runRecurringJobs();
    const at = await nextDue(now(), late);
    if (at && at <= now()) await runWorkers(now, late);
    else if (done === 0) return;
  }
}

const aheadOfNow = () => new Date(Date.now() + headStartMs);

type Steps = {
  settle: () => Promise<void>;
  nextAt: () => Promise<Date | null>;
  step: () => Promise<void>;
};

/** Advances the time from one due time to the next. */
function mover(time: ReturnType<typeof virtualClock>, { settle, nextAt, step }: Steps) {
  return async (target: Date) => {
    await settle();
    for (let at = await nextAt(); at && at <= target; at = await nextAt()) {
      time.advanceTo(at);
      await step();
    }
    time.advanceTo(target);
    await settle();
  };
}

async function startEmbedded(from = aheadOfNow()): Promise<TestClock> {
  const time = virtualClock(from);
  setJobClock(embeddedJobClock);
  const settle = () => settleWorkers(time.now, inTime);
  const advanceTo = mover(time, {
    settle,
    nextAt: () => nextDue(time.now(), inTime),
    step: settle,
  });
  return {
    ...{ now: time.now, settle, advanceTo, settleWorker: settle },
    advance: (seconds) => advanceTo(new Date(time.now().getTime() + seconds * 1_000)),
    close: async () => time.release(),
  };
}

/** The clock that a process with JOBS=inngest has, whose sending can be waited for. */
function watch(clock: JobClock) {
  const underWay = new Set<Promise<void>>();
  const watched =
    <Item>(wake: (items: Item[]) => Promise<void>) =>
    (items: Item[]) => {
      const waking = wake(items).finally(() => underWay.delete(waking));
      underWay.add(waking);
      return waking;
    };
  return {
    clock: {
      wake: watched(clock.wake),
      wakeDocuments: watched(clock.wakeDocuments),
      endWebhook: (webhook) => watched(() => clock.endWebhook(webhook))([]),
    } satisfies JobClock,
    underWay,
  };
}

async function startInngest(from = aheadOfNow()): Promise<TestClock> {
  const time = virtualClock(from);
  const { clock, underWay } = watch(inngestJobClock);
  setJobClock(clock);
  await inngest.sync({ POST, PUT });

  const step = async () => {
    do await Promise.allSettled(underWay);
    while ((await inngest.runDue()) > 0 || underWay.size > 0);
  };
  const settle = async () => {
    inngest.tick();
    await step();
  };
  const advanceTo = mover(time, { settle, nextAt: async () => inngest.nextWakeAt(), step });
  return {
    ...{ now: time.now, settle, advanceTo },
    advance: (seconds) => advanceTo(new Date(time.now().getTime() + seconds * 1_000)),
    settleWorker: async () => {
      const { delivering, processing, jobs } = await startBesideInngest();
      setJobClock(clock);
      for (const { work, limit } of Object.values(jobs))
        while ((await work(limit).catch(() => 0)) >= limit);
      await step();
      const late = {
        deliveries: delivering.overdueSeconds(),
        documents: processing.overdueSeconds,
      };
      await settleWorkers(time.now, late);
      await step();
    },
    close: async () => {
      await Promise.allSettled(underWay);
      setJobClock(embeddedJobClock);
      time.release();
      inngest.forget();
    },
  };
}

/** Each starts at `from`, to continue where another one stopped. */
export const clocks = [
  { name: "embedded", start: startEmbedded },
  { name: "inngest", start: startInngest },
] as const;

/** `npm test` runs these suites with the embedded clock, the longer ones with Inngest. */
const leftOut: Record<string, string> = { fast: "inngest", full: "embedded", release: "embedded" };
const ofSuite = clocks.filter(({ name }) => name !== leftOut[process.env.TEST_SUITE ?? ""]);

/** The receiver and clock of the running test, new for each. */
export let receiver: Receiver;
export let clock: TestClock;

/** The same tests with either clock, or with the one of the suite that runs. */
export function withEachClock(tests: () => void): void {
  describe.each(ofSuite)("$name clock", ({ start }) => {
    beforeEach(async () => {
      receiver = await startReceiver();
      clock = await start();
    });
    afterEach(async () => {
      await clock.close();
      await receiver.close();
    });
    tests();
  });
}
