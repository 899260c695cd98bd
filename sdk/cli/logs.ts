import { setTimeout as sleep } from "node:timers/promises";
import {
  ApiError,
  ConnectionError,
  type ListRequestLogsQuery,
  type Parlance,
  type RequestLog,
} from "../src/index";
import { type Command, clientOf, type Input, textOf, UsageError } from "./command";

const pollEveryMs = 3_000;
/**
 * A request is logged after its response, under the time when it arrived. So each poll reads the
 * last seconds again.
 */
const overlapMs = 10_000;

export const logsTail: Command = {
  name: "logs tail",
  summary: "Print requests to the API as they are logged",
  isEndless: true,
  options: {
    status: { value: "status", description: "only this status, or 2xx, 4xx or 5xx" },
    method: { value: "method", description: "only this method, such as POST" },
    path: { value: "prefix", description: "only paths that start with this: /conversations" },
    "key-id": { value: "key", description: "only requests with the key that has this id" },
    since: { value: "time", description: "start at this time. Default: now" },
  },
  details: `The key needs read:usage. With every read scope, it shows the requests of all keys in its
environment, otherwise only its own. A request appears a few seconds after its response. One that
takes longer than ${overlapMs / 1_000} seconds may be missing here. The dashboard shows it.
The command sends ${60_000 / pollEveryMs} requests a minute, which count against the key's rate limit and are not shown.`,
  run: async (input) => {
    const { values, output, signal } = input;
    const filters = filtersOf(values);
    const client = clientOf(values);
    const connected = await client.account.get({ signal }).withResponse();
    const { data: account, response, requestId } = connected;
    const since = textOf(values, "since");
    const isOwnOnly = !readScopes.every((scope) => account.key.scopes.includes(scope));
    output.note(
      `Connected. ${isOwnOnly ? "Without every read scope, the key sees only its own requests. " : ""}Press Ctrl-C to stop.`,
    );

    let from = since ? new Date(since) : timeOf(response);
    // Its own first request is not shown either.
    const shown = new Map([[requestId, Number.POSITIVE_INFINITY]]);
    for await (const { requests, at } of polls({ client, filters, input, from: () => from })) {
      for (const request of requests) {
        if (shown.has(request.id)) continue;
        shown.set(request.id, Date.parse(request.createdAt));
        output.result(request, lineOf(request));
      }
      if (at === null) continue;
      from = new Date(Math.max(from.getTime(), at.getTime() - overlapMs));
      for (const [id, time] of shown) if (time < from.getTime()) shown.delete(id);
    }
  },
};

const readScopes = [
  "read:conversations",
  "read:customers",
  "read:agents",
  "read:knowledge",
  "read:webhooks",
  "read:usage",
] as const;

type Filters = Pick<ListRequestLogsQuery, "status" | "method" | "path" | "apiKeyId">;

function filtersOf(values: Input["values"]): Filters {
  const status = textOf(values, "status")?.toLowerCase();
  if (status !== undefined && !/^([245]xx|[1-5]\d\d)$/.test(status))
    throw new UsageError(
      `--status must be a status such as 404, or 2xx, 4xx or 5xx, and not "${status}".`,
      logsTail,
    );
  const since = textOf(values, "since");
  if (since !== undefined && Number.isNaN(Date.parse(since)))
    throw new UsageError(
      `--since must be a time such as 2026-01-31T09:00:00Z, and not "${since}".`,
      logsTail,
    );
  const path = textOf(values, "path");
  return {
    status,
    method: textOf(values, "method")?.toUpperCase() as Filters["method"],
    path: path && !path.startsWith("/v1/") ? `/v1/public/${path.replace(/^\/+/, "")}` : path,
    apiKeyId: textOf(values, "key-id"),
  };
}

/** `at` is the service's time when the last page of a poll was still to be read; null before it. */
type Poll = { requests: RequestLog[]; at: Date | null };

/** The pages of one poll after another, oldest first. After a failure it tries again. */
async function* polls({
  client,
  filters,
  input: { output, signal },
  from,
}: {
  client: Parlance;
  filters: Filters;
  input: Pick<Input, "output" | "signal">;
  from: () => Date;
}): AsyncGenerator<Poll> {
  for (let isLost = false; ; await sleep(pollEveryMs, undefined, { signal })) {
    try {
      const query = { ...filters, since: from(), order: "asc", limit: 100 } as const;
      let at: Date | undefined;
      for (let cursor: string | undefined; ; ) {
        const options = cursor ? { ...query, cursor } : query;
        const { data: page, response } = await client.requestLogs
          .list(options, { signal })
          .withResponse();
        if (isLost) output.note("Connected again.");
        isLost = false;
        at ??= timeOf(response);
        cursor = page.nextCursor;
        yield { requests: page.data, at: cursor ? null : at };
        if (!cursor) break;
      }
    } catch (error) {
      if (!isTemporary(error)) throw error;
      if (!isLost) output.note(`${error.message.replace(/\.$/, "")}. Trying again.`);
      isLost = true;
    }
  }
}

const isTemporary = (error: unknown): error is Error =>
  error instanceof ConnectionError ||
  (error instanceof ApiError && (error.status === 429 || error.status >= 500));

/** The time of the service, because the clock of this machine may differ. */
function timeOf({ headers }: Response): Date {
  const time = Date.parse(headers.get("date") ?? "");
  return Number.isNaN(time) ? new Date() : new Date(time);
}

const lineOf = ({ createdAt, status, method, path, durationMs, id, errorKind }: RequestLog) =>
  `${createdAt}  ${status}  ${method.padEnd(6)}  ${path}  ${durationMs} ms  ${id}${errorKind ? `  ${errorKind}` : ""}`;
