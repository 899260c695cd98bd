import { createHmac } from "node:crypto";
import type { NextRequest } from "next/server";
import { now } from "@/lib/platform/time";
import { startReceiver } from "./receiver";

export type EventData = Record<string, string> & { deliveryIds?: string[] };
type Event = { id?: string; name: string; data: EventData };
type Trigger = { event?: string; cron?: string; expression?: string };
type Limit = { key?: string; limit: number };
/** As the app registers them. */
type RegisteredFunction = {
  id: string;
  name: string;
  triggers: Trigger[];
  concurrency?: Limit | Limit[];
  batchEvents?: { maxSize: number; timeout: string; key: string; if: string };
  idempotency?: string;
  priority?: { run: string };
  cancel?: { event: string; if: string }[];
  singleton?: { mode: string };
  steps: { step: { runtime: { url: string }; retries: { attempts: number } } };
};
type Operation = {
  op: string;
  id: string;
  name: string;
  displayName: string;
  data?: unknown;
  error?: unknown;
};

export type Run = {
  functionId: string;
  /** The first of the events. */
  event: Event;
  events: Event[];
  /** The operations that the function requested, in this order. */
  operations: Operation[];
  state: "running" | "completed" | "failed" | "canceled";
  result: unknown;
};
type RunInProgress = Run & {
  definition: RegisteredFunction;
  steps: Record<string, unknown>;
  wakeAt: Date;
  failures: number;
  calls: number;
};

type Route = Record<"POST" | "PUT", (request: NextRequest) => Promise<Response>>;

const deduplicationMs = 86_400_000;
const retryMs = 30_000;
const maximumCalls = 5_000;

/** Evaluates an expression of a registration. Those of this app mean the same in JavaScript. */
const evaluate = (expression: string, event: Event, async?: Event): unknown =>
  new Function("event", "async", `return ${expression}`)(event, async);

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
export function callBody(
  events: Event[],
  steps: Record<string, unknown> = {},
  stack: string[] = [],
) {
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
  return { version: 2, event: events[0], events, steps, ctx };
}

/**
 * Plays Inngest, by virtual time: takes events over HTTP, learns from the app's own registration
 * which functions there are, and calls them by signed requests. It knows each event id for 24
 * hours, keeps to the limits of concurrency, makes batches, cancels, holds what sleeps, and calls
 * again where a step failed.
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
    if (event.id && !isNew(event.id)) return;
    for (const run of runs)
      if (run.state === "running" && isCanceledBy(run, event)) run.state = "canceled";
    for (const definition of functions)
      if (definition.triggers.some((trigger) => isTriggeredBy(trigger, event)))
        trigger(definition, event);
  }

  const isTriggeredBy = ({ event: name, expression }: Trigger, event: Event) =>
    name === event.name && (!expression || evaluate(expression, event) === true);

  /** Whether an id was not seen within a day. */
  function isNew(id: string): boolean {
    const time = now().getTime();
    if (time - (seen.get(id) ?? -Infinity) < deduplicationMs) return false;
    seen.set(id, time);
    return true;
  }

  const isCanceledBy = (run: RunInProgress, event: Event) =>
    run.definition.cancel?.some(
      (cancel) => cancel.event === event.name && evaluate(cancel.if, run.event, event),
    );

  function trigger(definition: RegisteredFunction, event: Event): void {
    const { id, idempotency, batchEvents } = definition;
    if (idempotency && !isNew(`${id} ${evaluate(idempotency, event)}`)) return;
    const batch =
      batchEvents && evaluate(batchEvents.if, event) ? findBatch(definition, event) : undefined;
    if (batch) batch.events.push(event);
    else begin(definition, [event]);
  }

  /** A batch of the event's key that has room. Time stands still, so it is not called before. */
  const findBatch = ({ id, batchEvents }: RegisteredFunction, event: Event) =>
    runs.find(
      (run) =>
        run.functionId === id &&
        run.calls === 0 &&
        run.events.length < (batchEvents?.maxSize ?? 0) &&
        evaluate(batchEvents?.if ?? "", run.event) &&
        evaluate(batchEvents?.key ?? "", run.event) === evaluate(batchEvents?.key ?? "", event),
    );

  function begin(definition: RegisteredFunction, events: Event[]): void {
    const [event] = events;
    if (!event) throw new Error("a run needs an event");
    const rest = { state: "running", result: undefined, failures: 0, calls: 0 } as const;
    runs.push({
      ...rest,
      ...{ operations: [], steps: {}, wakeAt: now(), definition, event, events },
      functionId: definition.id,
    });
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
      if (definition.triggers.some(({ cron }) => cron)) begin(definition, [cronEvent]);
  }

  /** The same events once more, as when Inngest has lost the state of the run. */
  const repeat = ({ functionId, events }: Run) => {
    const definition = functions.find(({ id }) => id === functionId);
    if (definition) begin(definition, events);
  };

  /** A run that sleeps continues now, as where Inngest's clock is ahead. */
  const wakeEarly = (early: Run) => {
    for (const run of runs) if (run === early) run.wakeAt = now();
  };

  const isWaiting = (run: RunInProgress) => run.state === "running" && run.wakeAt <= now();

  /** The calls that may run concurrently, the oldest runs first. */
  function chooseRuns(): RunInProgress[] {
    const underWay = new Map<string, number>();
    return runs.filter((run) => {
      if (!isWaiting(run)) return false;
      const { id, concurrency = [] } = run.definition;
      const places = [concurrency].flat().map(({ key, limit }) => ({
        ...{ place: `${id} ${key} ${key && evaluate(key, run.event)}`, limit },
      }));
      if (places.some(({ place, limit }) => (underWay.get(place) ?? 0) >= limit)) return false;
      for (const { place } of places) underWay.set(place, (underWay.get(place) ?? 0) + 1);
      return true;
    });
  }

  async function call(run: RunInProgress, stepId = "step"): Promise<void> {
    if (!route) throw new Error("the app has not registered");
    run.calls++;
    const stack = run.operations.map(({ id }) => id);
    const { runtime, retries } = run.definition.steps.step;
    const url = new URL(runtime.url);
    url.searchParams.set("stepId", stepId);
    const body = callBody(run.events, run.steps, stack);
    const response = await route.POST(signedRequest(url.href, body, { signingKey }));
    const result: unknown = await response.json();
    const operations = response.status === 206 ? (result as Operation[]) : [];
    const failed = operations.find(({ op }) => op === "StepError" || op === "StepFailed");
    if (response.status === 200) Object.assign(run, { state: "completed", result });
    else if (response.status !== 206 || failed) {
      run.failures++;
      run.wakeAt = new Date(now().getTime() + retryMs);
      if (run.failures <= retries.attempts) return;
      if (failed) giveUp(run, failed);
      else fail(run, result);
    } else if (operations.some(({ op }) => op === "StepPlanned")) {
      for (const { id } of operations) await call(run, id);
    } else for (const operation of operations) keep(run, operation);
  }

  /** The function learns that a step has failed as often as it may, and decides what that means. */
  function giveUp(run: RunInProgress, { id, error, ...operation }: Operation): void {
    run.operations.push({ id, error, ...operation });
    run.steps[id] = { type: "error", error };
    Object.assign(run, { failures: 0, wakeAt: now() });
  }

  /** Ends a run that has failed as often as it may, and tells the app. */
  function fail(run: RunInProgress, result: unknown): void {
    Object.assign(run, { state: "failed", result });
    const error = { name: "Error", stack: "", ...(result as object) };
    const data = { function_id: run.functionId, run_id: "run", event: run.event, error };
    take({ name: "inngest/function.failed", data: data as unknown as EventData });
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
      await Promise.all(chosen.map((run) => call(run)));
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
    wakeEarly,
    sync,
    tick,
    runDue,
    nextWakeAt,
  };
}
