import { createHmac } from "node:crypto";
import type { NextRequest } from "next/server";

type Handler = (request: NextRequest) => Promise<Response>;
type Operation = { op: string; id: string; name: string; data?: unknown };

type Run = {
  /** The exported handler of app/api/inngest. */
  handler: Handler;
  /** `<app>-<function>`. */
  functionId: string;
  event: { id?: string; name: string; data: Record<string, unknown> };
  /** `signkey-<environment>-<hex>`. */
  signingKey: string;
  /** Moved on where the function sleeps. */
  clock: { advanceTo: (time: Date) => void };
};

/** Keys sorted at every depth: for these bodies the same as RFC 8785. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part) =>
    part && typeof part === "object" && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

/** A request as Inngest signs it. */
export function signedRequest(functionId: string, body: unknown, signingKey: string): NextRequest {
  const seconds = String(Math.floor(Date.now() / 1000));
  const key = signingKey.replace(/^signkey-\w+-/, "");
  const signature = createHmac("sha256", key).update(canonicalJson(body)).update(seconds).digest("hex");
  const request = new Request(`http://app.test/api/inngest?fnId=${functionId}&stepId=step`, {
    method: "POST",
    headers: { host: "app.test", "content-type": "application/json", "x-inngest-signature": `t=${seconds}&s=${signature}` },
    body: JSON.stringify(body),
  });
  return request as NextRequest;
}

const maximumCalls = 100;

/**
 * Plays Inngest's part for one run: calls the function until it ends, keeps what its steps returned, and moves the clock
 * on where it sleeps. There is no `ctx.fn_id`: with it, the SDK would report to Inngest's own API.
 * @returns the function's result and the operations it asked for
 */
export async function runFunction({ handler, functionId, event, signingKey, clock }: Run) {
  const steps: Record<string, unknown> = {};
  const stack: string[] = [];
  const operations: Operation[] = [];
  for (let call = 0; call < maximumCalls; call++) {
    const ctx = {
      ...{ run_id: "run", attempt: 0, max_attempts: 4, disable_immediate_execution: false, use_api: false },
      stack: { stack, current: stack.length },
    };
    const response = await handler(signedRequest(functionId, { version: 2, event, events: [event], steps, ctx }, signingKey));
    const answer: unknown = await response.json();
    if (response.status === 200) return { result: answer, operations };
    if (response.status !== 206) throw new Error(`${response.status} ${JSON.stringify(answer)}`);

    for (const operation of answer as Operation[]) {
      operations.push(operation);
      stack.push(operation.id);
      if (operation.op === "StepRun") steps[operation.id] = { type: "data", data: operation.data };
      else if (operation.op === "Sleep") {
        clock.advanceTo(new Date(operation.name));
        steps[operation.id] = null;
      } else throw new Error(`the operation ${operation.op} is not handled`);
    }
  }
  throw new Error("the function did not end");
}
