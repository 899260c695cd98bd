import type { KnownKey } from "@/lib/api-keys/key-cache";
import { runSql } from "@/lib/platform/db";
import { env } from "@/lib/platform/env";
import { logOf } from "@/lib/platform/log";
import { meter } from "@/lib/platform/meter";
import { isDatabaseUnavailable } from "@/lib/platform/sql-errors";
import { now } from "@/lib/platform/time";
import { logDelaySeconds } from "./log-delay";
import { maskSecrets, maximumBodyBytes } from "./mask-secrets";
import { insertRequestLogsStatement } from "./service.sql";

const log = logOf("api");

/** A completed request, as the pipeline knows it. */
export type CompletedRequest = {
  id: string;
  key: KnownKey;
  method: string;
  /** With the query string, if there is one. */
  path: string;
  status: number;
  durationMs: number;
  idempotencyKey: string | null;
  address: string | null;
  userAgent: string | null;
  isReplay: boolean;
  /** As received, or null if it was not JSON or was not read. */
  requestBody: Uint8Array | null;
  /** Null for successful reads, which can simply be repeated. */
  responseBody: string | null;
  /** If it is known. Otherwise, it is read from the response's body. */
  errorKind?: string | null;
  startedAt: Date;
};

const flushIntervalMs = 1_000;
const flushAtRequests = 200;
/**
 * The maximum that waits while the database is slow or unreachable. Requests beyond it are served
 * but not logged.
 */
const maximumPendingRequests = 5_000;
const maximumPendingBytes = 16 * 1_024 * 1_024;
const maximumPathLength = 2_048;
const maximumAddressLength = 100;
const maximumUserAgentLength = 300;

/** Less than the delay, by the time that the statement may take. */
const lateMs = () =>
  Math.max(2_000, logDelaySeconds * 1_000 - env().DATABASE_STATEMENT_TIMEOUT_MS - 1_000);

type PendingRequest = CompletedRequest & { completedAtMs: number };

let pending: PendingRequest[] = [];
let pendingBytes = 0;
let droppedRequests = 0;
let timer: NodeJS.Timeout | undefined;
let writing: Promise<void> | null = null;

/**
 * Adds a request to the log. Needs no query and never fails: requests are masked and written in
 * batches, soon after.
 */
export function logRequest(request: CompletedRequest): void {
  const completed = {
    ...request,
    requestBody: request.requestBody && beginningOf(request.requestBody),
    completedAtMs: now().getTime(),
  };
  const bytes = bytesOf(completed);
  if (pending.length >= maximumPendingRequests || pendingBytes + bytes > maximumPendingBytes) {
    droppedRequests++;
    return;
  }
  pending.push(completed);
  pendingBytes += bytes;
  if (pending.length >= flushAtRequests) writing ??= write();
  else scheduleFlush();
}

/** Writes what is pending. Also called on shutdown. */
export async function flushRequestLogs(): Promise<void> {
  while (writing) await writing;
  if (pending.length === 0) return;
  writing = write();
  await writing;
}

function scheduleFlush(): void {
  if (timer) return;
  timer = setTimeout(() => {
    timer = undefined;
    if (pending.length > 0) writing ??= write();
  }, flushIntervalMs).unref();
}

/** Writes one batch at a time. Requests that arrive meanwhile wait for the next. */
async function write(): Promise<void> {
  const batch = pending;
  pending = [];
  pendingBytes = 0;
  const isWritten = await writeBatch(batch);
  if (droppedRequests > 0) {
    meter()?.count("droppedRequestLogs", {}, droppedRequests);
    log.warn(
      { requests: droppedRequests },
      "responses were sent, but the requests could not be logged",
    );
    droppedRequests = 0;
  }
  writing = isWritten && pending.length >= flushAtRequests ? write() : null;
  if (pending.length > 0) scheduleFlush();
}

/**
 * @returns whether the batch was written or dropped. While the database is unreachable, the batch
 * waits, if there is room.
 */
async function writeBatch(batch: PendingRequest[]): Promise<boolean> {
  try {
    await runSql(insertRequestLogsStatement(toColumns(batch.map(withoutTextIfLate))));
    return true;
  } catch (error) {
    const hasRoom = batch.length + pending.length <= maximumPendingRequests;
    if (isDatabaseUnavailable(error) && hasRoom) {
      pending = [...batch, ...pending];
      pendingBytes = pending.reduce((bytes, completed) => bytes + bytesOf(completed), 0);
    } else {
      log.warn(
        { error: (error as Error).message },
        "a batch of the request log could not be written",
      );
      droppedRequests += batch.length;
    }
    return false;
  }
}

/**
 * What a request said, if it is written so late that a redaction or erasure has cleared the log
 * since, is left out: its bodies, its idempotency key, and values in its path.
 */
function withoutTextIfLate(completed: PendingRequest): CompletedRequest {
  if (now().getTime() - completed.completedAtMs < lateMs()) return completed;
  const path = completed.path
    .replace(/\?.*$/, "")
    .replace(/(\/by-external-id\/).*$/, "$1[removed]")
    // A client may have sent a value, such as an email address, instead of an id.
    .replace(/\/(?!(?:[a-z][a-z0-9-]*|[a-z]+_[0-9A-Z]{26})(?:\/|$))[^/]+/g, "/[removed]");
  const errorKind = completed.status < 400 ? null : errorKindOf(completed.responseBody);
  return {
    ...completed,
    path,
    errorKind,
    idempotencyKey: null,
    requestBody: null,
    responseBody: null,
  };
}

/** Copies the beginning of a longer body, so that the whole body does not stay in memory. */
const beginningOf = (body: Uint8Array) =>
  body.byteLength > maximumBodyBytes ? Buffer.from(body.subarray(0, maximumBodyBytes)) : body;

const bytesOf = ({ requestBody, responseBody }: CompletedRequest) =>
  (requestBody?.byteLength ?? 0) + (responseBody?.length ?? 0);

function toColumns(batch: CompletedRequest[]) {
  const column = <Value>(pick: (completed: CompletedRequest) => Value) => batch.map(pick);
  return {
    tenantIds: column(({ key }) => key.tenantId),
    environments: column(({ key }) => key.environment),
    ids: column(({ id }) => id),
    apiKeyIds: column(({ key }) => key.id),
    methods: column(({ method }) => method),
    paths: column(({ path }) => maskSecrets(path).slice(0, maximumPathLength)),
    statuses: column(({ status }) => status),
    durationsMs: column(({ durationMs }) => Math.round(durationMs)),
    errorKinds: column(({ status, errorKind, responseBody }) =>
      status < 400 ? null : (errorKind ?? errorKindOf(responseBody)),
    ),
    idempotencyKeys: column(({ idempotencyKey }) => idempotencyKey && maskSecrets(idempotencyKey)),
    addresses: column(({ address }) => address?.slice(0, maximumAddressLength)),
    userAgents: column(
      ({ userAgent }) => userAgent && maskSecrets(userAgent).slice(0, maximumUserAgentLength),
    ),
    areReplays: column(({ isReplay }) => isReplay),
    requestBodies: column(({ requestBody }) => requestBody && textOf(requestBody)),
    responseBodies: column(({ responseBody }) => responseBody && textOf(responseBody)),
    times: column(({ startedAt }) => startedAt),
  };
}

const decoder = new TextDecoder();

/** PostgreSQL does not accept NUL in text, but a rejected body may contain it. */
function textOf(body: Uint8Array | string): string {
  const beginning =
    typeof body === "string" ? body.slice(0, maximumBodyBytes) : decoder.decode(body);
  return maskSecrets(beginning).replaceAll("\0", "\ufffd");
}

/** Read from the response itself, so that replayed responses have it too. */
const errorKindOf = (body: string | null) =>
  /^{"type":"[^"]*\/errors\/([a-z-]+)"/.exec(body ?? "")?.[1] ?? null;
