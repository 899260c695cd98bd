import type { KnownKey } from "@/lib/api-keys/key-cache";
import { runSqlOnceConnected } from "@/lib/platform/db";
import { logOf } from "@/lib/platform/log";
import { meter } from "@/lib/platform/meter";
import { isDatabaseUnavailable } from "@/lib/platform/sql-errors";
import { now } from "@/lib/platform/time";
import { lateMs } from "./log-delay";
import { maskSecrets, maskSecretsInBody, maximumBodyBytes } from "./mask-secrets";
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
  startedAt: Date;
};

const flushIntervalMs = 1_000;
const flushAtRequests = 200;
/**
 * The maximum that waits while the database is slow or unreachable, with what is being written.
 * Requests beyond it are served but not logged.
 */
const maximumWaitingRequests = 5_000;
const maximumWaitingBytes = 16 * 1_024 * 1_024;
const maximumPathLength = 2_048;
const maximumAddressLength = 100;
const maximumUserAgentLength = 300;

/** A request that has only the beginnings of its bodies. */
type Pending = { request: CompletedRequest; completedAtMs: number; bytes: number };

let pending: Pending[] = [];
/** What the database did not take, with its secrets masked. */
let unwritten: Row[] = [];
/** Of everything that is not in the database yet. */
const waiting = { requests: 0, bytes: 0 };
let droppedRequests = 0;
let timer: NodeJS.Timeout | undefined;
let writing: Promise<void> | null = null;

/**
 * Adds a request to the log, and cuts its bodies. Needs no query and never fails: requests are masked
 * and written in batches, soon after.
 */
export function logRequest(request: CompletedRequest): void {
  const requestBody = request.requestBody && beginningOf(request.requestBody);
  const responseBody = request.responseBody && beginningOfText(request.responseBody);
  const bytes = (requestBody?.byteLength ?? 0) + (responseBody?.length ?? 0);
  if (waiting.requests >= maximumWaitingRequests || waiting.bytes + bytes > maximumWaitingBytes) {
    droppedRequests++;
    return;
  }
  waiting.requests++;
  waiting.bytes += bytes;
  // Not copied, because every request would pay for it.
  request.requestBody = requestBody;
  request.responseBody = responseBody;
  pending.push({ request, completedAtMs: now().getTime(), bytes });
  if (pending.length >= flushAtRequests && unwritten.length === 0) writing ??= write();
  else scheduleFlush();
}

/** Writes what is pending. Also called on shutdown. */
export async function flushRequestLogs(): Promise<void> {
  while (writing) await writing;
  if (waiting.requests === 0) return;
  writing = write();
  await writing;
}

function scheduleFlush(): void {
  if (timer) return;
  timer = setTimeout(() => {
    timer = undefined;
    if (waiting.requests > 0) writing ??= write();
  }, flushIntervalMs).unref();
}

/** Writes one batch at a time. Requests that arrive meanwhile wait for the next. */
async function write(): Promise<void> {
  const batch = [...unwritten, ...pending.map(toRow)];
  unwritten = [];
  pending = [];
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
  if (waiting.requests > 0) scheduleFlush();
}

/** @returns whether the batch was written. While the database is unreachable, it waits. */
async function writeBatch(batch: Row[]): Promise<boolean> {
  try {
    await runSqlOnceConnected(() =>
      insertRequestLogsStatement(toColumns(batch.map(withoutTextIfLate))),
    );
    leave(batch);
    return true;
  } catch (error) {
    if (isDatabaseUnavailable(error)) unwritten = batch;
    else {
      log.warn(
        { error: (error as Error).message },
        "a batch of the request log could not be written",
      );
      droppedRequests += batch.length;
      leave(batch);
    }
    return false;
  }
}

function leave(batch: Row[]): void {
  waiting.requests -= batch.length;
  for (const { bytes } of batch) waiting.bytes -= bytes;
}

/**
 * What a request said, if it is written so late that a redaction or erasure has cleared the log
 * since, is left out: its bodies, its idempotency key, and values in its path.
 */
function withoutTextIfLate(row: Row): Row {
  if (now().getTime() - row.completedAtMs < lateMs) return row;
  const path = row.path
    .replace(/\?.*$/, "")
    .replace(/(\/by-external-id\/).*$/, "$1[removed]")
    // A client may have sent a value, such as an email address, instead of an id.
    .replace(/\/(?!(?:[a-z][a-z0-9-]*|[a-z]+_[0-9A-Z]{26})(?:\/|$))[^/]+/g, "/[removed]");
  return { ...row, path, idempotencyKey: null, requestBody: null, responseBody: null };
}

type Row = ReturnType<typeof toRow>;

/** A request as it is stored, with its secrets masked. */
const toRow = ({ request, completedAtMs, bytes }: Pending) => {
  const { key, status, durationMs, idempotencyKey, userAgent, requestBody, responseBody } = request;
  return {
    tenantId: key.tenantId,
    environment: key.environment,
    id: request.id,
    apiKeyId: key.id,
    method: request.method,
    path: maskSecrets(request.path).slice(0, maximumPathLength),
    status,
    durationMs: Math.round(durationMs),
    errorKind: status < 400 ? null : errorKindOf(responseBody),
    idempotencyKey: idempotencyKey && maskSecrets(idempotencyKey),
    address: request.address?.slice(0, maximumAddressLength),
    userAgent: userAgent && maskSecrets(userAgent).slice(0, maximumUserAgentLength),
    isReplay: request.isReplay,
    requestBody: requestBody && textOf(decoder.decode(requestBody)),
    responseBody: responseBody && textOf(responseBody),
    time: request.startedAt,
    completedAtMs,
    bytes,
  };
};

function toColumns(batch: Row[]) {
  const column = <Value>(pick: (row: Row) => Value) => batch.map(pick);
  return {
    tenantIds: column(({ tenantId }) => tenantId),
    environments: column(({ environment }) => environment),
    ids: column(({ id }) => id),
    apiKeyIds: column(({ apiKeyId }) => apiKeyId),
    methods: column(({ method }) => method),
    paths: column(({ path }) => path),
    statuses: column(({ status }) => status),
    durationsMs: column(({ durationMs }) => durationMs),
    errorKinds: column(({ errorKind }) => errorKind),
    idempotencyKeys: column(({ idempotencyKey }) => idempotencyKey),
    addresses: column(({ address }) => address),
    userAgents: column(({ userAgent }) => userAgent),
    areReplays: column(({ isReplay }) => isReplay),
    requestBodies: column(({ requestBody }) => requestBody),
    responseBodies: column(({ responseBody }) => responseBody),
    times: column(({ time }) => time),
  };
}

const decoder = new TextDecoder();

/** Copies the beginning of a longer body, so that the whole body does not stay in memory. */
const beginningOf = (body: Uint8Array) =>
  body.byteLength > maximumBodyBytes ? Buffer.from(body.subarray(0, maximumBodyBytes)) : body;

/** The same. V8 keeps a whole string while a part of it is in use, unless the part is copied. */
const beginningOfText = (body: string) =>
  body.length > maximumBodyBytes
    ? Buffer.from(body.slice(0, maximumBodyBytes), "utf16le").toString("utf16le")
    : body;

/** PostgreSQL does not accept NUL in text, but a rejected body may contain it. */
const textOf = (body: string) => maskSecretsInBody(body).replaceAll("\0", "\ufffd");

/** Read from the response itself, so that replayed responses have it too. */
const errorKindOf = (body: string | null) =>
  /^{"type":"[^"]*\/errors\/([a-z-]+)"/.exec(body ?? "")?.[1] ?? null;
