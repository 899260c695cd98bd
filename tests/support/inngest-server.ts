import { createHmac } from "node:crypto";
import type { NextRequest } from "next/server";
import { now } from "@/lib/platform/time";
import { startReceiver } from "./receiver";

type Event = { id?: string; name: string; data: Record<string, string> };
type Trigger = { event?: string; cron?: string };
/** As the app registers them. */
type RegisteredFunction = {
  id: string;
  triggers: Trigger[];
  concurrency?: number | { key: string; limit: number };
  steps: { step: { runtime: { url: string }; retries: { attempts: number } } };
};
type Operation = { op: string; id: string; name: string; data?: unknown };

export type Run = {
  functionId: string;
  event: Event;
  /** The operations that the function requested, in this order. */
  operations: Operation[];
  state: "running" | "completed" | "failed";
  result: unknown;
};
type RunInProgress = Run & {
  definition: RegisteredFunction;
  steps: Record<string, unknown>;
  wakeAt: Date;
  failures: number;
};

type Route = Record<"POST" | "PUT", (request: NextRequest) => Promise<Response>>;

const deduplicationMs = 86_400_000;
const retryMs = 30_000;
const maximumCalls = 5_000;
export const cronEvent = { name: "inngest/scheduled.timer", data: {} };

/** Keys sorted at every depth: for these bodies the same as RFC 8785. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part) =>
    part && typeof part === "object" && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

type Signing = { signingKey: string; at?: Date };

/** A call of a function as Inngest signs it. */
export function signedRequest(
  url: string,
  body: unknown,
  { signingKey, at = new Date() }: Signing,
): NextRequest {
  const seconds = String(Math.floor(at.getTime() / 1000));
  const key = signingKey.replace(/^signkey-\w+-/, "");
  const signature = createHmac("sha256", key)
    .update(canonicalJson(body))
    .update(seconds)
    .digest("hex");
  const request = new Request(url, {
    method: "POST",
    headers: {
      host: new URL(url).host,
      "content-type": "application/json",
      "x-inngest-signature": `t=${seconds}&s=${signature}`,
    },
    body: JSON.stringify(body),
  });
  return request as NextRequest;
}

/**
 * There is no `ctx.fn_id`: with it, the SDK would report to Inngest's own API in the middle of a
 * call.
 */
export function callBody(event: Event, steps: Record<string, unknown> = {}, stack: string[] = []) {
  const ctx = {
    ...{
      run_id: "run",
      attempt: 0,
      max_attempts: 4,
      disable_immediate_execution: false,
      use_api: false,
    },
    stack: { stack, current: stack.length },
  };
  return { version: 2, event, events: [event], steps, ctx };
}

/**
 * Plays Inngest, by virtual time: takes events over HTTP, learns from the app's own registration
 * which functions there are, and calls them by signed requests. It knows each event id for 24
 * hours, keeps to the limits of concurrency, holds what sleeps, and calls again where a step
 * failed.
 */
export async function startInngestServer(signingKey: string) {
  const functions: RegisteredFunction[] = [];
  const runs: RunInProgress[] = [];
  const events: Event[] = [];
  const seen = new Map<string, number>();
  let route: Route | undefined;

  const server = await startReceiver((response, { method, path, body }) => {
    const isRegistration = path.startsWith("/fn/register");
    if (method !== "POST") return void response.writeHead(404).end();
    if (isRegistration) functions.splice(0, Infinity, ...JSON.parse(body).functions);
    else for (const event of JSON.parse(body) as Event[]) take(event);
    const responseBody = isRegistration
      ? { ok: true, modified: true, status: 200 }
      : { ids: ["1"], status: 200 };
    response
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify(responseBody));
  });

  function take(event: Event): void {
    events.push(event);
    const time = now().getTime();
    if (event.id && time - (seen.get(event.id) ?? -Infinity) < deduplicationMs) return;
    if (event.id) seen.set(event.id, time);
    for (const definition of functions)
      if (definition.triggers.some((trigger) => trigger.event === event.name))
        begin(definition, event);
  }

  function begin(definition: RegisteredFunction, event: Event): void {
    const rest = {
      operations: [],
      state: "running",
      result: undefined,
      steps: {},
      wakeAt: now(),
      failures: 0,
    } as const;
    runs.push({ ...rest, operations: [], functionId: definition.id, definition, event });
  }

  /** Forgets all runs and events, as after the loss of its store. Registered functions stay. */
  function forget(): void {
    for (const list of [runs, events, server.requests]) list.length = 0;
    seen.clear();
  }

  /** Has the app register itself, as when it is deployed. */
  async function sync(app: Route): Promise<void> {
    route = app;
    const url = "http://app.test/api/inngest";
    const response = await app.PUT(
      new Request(url, { method: "PUT", headers: { host: "app.test" } }) as NextRequest,
    );
    if (!response.ok)
      throw new Error(`the app did not register: ${response.status} ${await response.text()}`);
  }

  /**
   * Starts a run of every scheduled function. One tick represents all those that time has
   * skipped.
   */
  function tick(): void {
    for (const definition of functions)
      if (definition.triggers.some(({ cron }) => cron)) begin(definition, cronEvent);
  }

  /** The same event once more, as when Inngest has lost the state of the run. */
  const repeat = ({ functionId, event }: Run) => {
    const definition = functions.find(({ id }) => id === functionId);
    if (definition) begin(definition, event);
  };

  const isWaiting = (run: RunInProgress) => run.state === "running" && run.wakeAt <= now();

  /** The calls that may run concurrently, the oldest runs first. */
  function chooseRuns(): RunInProgress[] {
    const underWay = new Map<string, number>();
    return runs.filter((run) => {
      if (!isWaiting(run)) return false;
      const { id, concurrency } = run.definition;
      if (concurrency === undefined) return true;
      const { key, limit } =
        typeof concurrency === "number" ? { key: "", limit: concurrency } : concurrency;
      const place = `${id} ${run.event.data[key.replace("event.data.", "")]}`;
      underWay.set(place, (underWay.get(place) ?? 0) + 1);
      return (underWay.get(place) ?? 0) <= limit;
    });
  }

  async function call(run: RunInProgress): Promise<void> {
    if (!route) throw new Error("the app has not registered");
    const stack = run.operations.map(({ id }) => id);
    const { runtime, retries } = run.definition.steps.step;
    const response = await route.POST(
      signedRequest(runtime.url, callBody(run.event, run.steps, stack), { signingKey }),
    );
    const result: unknown = await response.json();
    const operations = response.status === 206 ? (result as Operation[]) : [];
    if (response.status === 200) Object.assign(run, { state: "completed", result });
    else if (
      response.status !== 206 ||
      operations.some(({ op }) => op === "StepError" || op === "StepFailed")
    ) {
      run.failures++;
      run.wakeAt = new Date(now().getTime() + retryMs);
      if (run.failures > retries.attempts) Object.assign(run, { state: "failed", result });
    } else for (const operation of operations) keep(run, operation);
  }

  function keep(run: RunInProgress, operation: Operation): void {
    run.operations.push(operation);
    run.failures = 0;
    if (operation.op === "StepRun")
      run.steps[operation.id] = { type: "data", data: operation.data };
    else if (operation.op === "Sleep") {
      run.steps[operation.id] = null;
      run.wakeAt = new Date(operation.name);
    } else throw new Error(`the operation ${operation.op} is not handled`);
  }

  /** Calls functions until none can continue at this time. @returns the number of calls */
  async function runDue(): Promise<number> {
    for (let calls = 0; calls < maximumCalls; ) {
      const chosen = chooseRuns();
      if (chosen.length === 0) return calls;
      calls += chosen.length;
      await Promise.all(chosen.map(call));
    }
    throw new Error("the functions do not come to an end");
  }

  /** When the next sleeping run continues. */
  function nextWakeAt(): Date | null {
    const times = runs
      .filter(({ state }) => state === "running")
      .map(({ wakeAt }) => wakeAt.getTime());
    return times.length > 0 ? new Date(Math.min(...times)) : null;
  }

  return {
    server,
    functions,
    runs: runs as Run[],
    events,
    forget,
    repeat,
    sync,
    tick,
    runDue,
    nextWakeAt,
  };
}
