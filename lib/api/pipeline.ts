import type { z } from "zod";
import type { KnownKey } from "@/lib/api-keys/key-cache";
import { markKeyUsed } from "@/lib/api-keys/last-used";
import { type Caller, type Identity, reader } from "@/lib/platform/caller";
import { clientAddress } from "@/lib/platform/client-address";
import { hasReplica } from "@/lib/platform/db";
import {
  AppError,
  errorKinds,
  insufficientScope,
  invalidRequest,
  methodNotAllowed,
  repeatedIdempotencyKey,
  type ValidationIssue,
} from "@/lib/platform/errors";
import { logOf } from "@/lib/platform/log";
import { meter } from "@/lib/platform/meter";
import { readFromReplica } from "@/lib/platform/replica";
import { tracer } from "@/lib/platform/tracing";
import { noteWrite } from "@/lib/platform/write-positions";
import { logRequest } from "@/lib/request-logs/request-log-buffer";
import { newId } from "@/lib/resources/ids";
import { countRequest } from "@/lib/usage/count-requests";
import { authenticate, requireAllowedAddress } from "./authenticate";
import { deprecationHeaders } from "./deprecation";
import { compressed, etagOf, isKnownVersion, returnsVersion } from "./encode";
import { type EventStream, openEventStream } from "./event-stream";
import { forward } from "./forward";
import { findStoredResponse, newRecord } from "./idempotency";
import { readIfMatch } from "./if-match";
import type { Declaration } from "./operation";
import { type Change, type JsonResponse, perform, serializerOf } from "./perform";
import { toProblem } from "./problem";
import {
  addRateLimitHeaders,
  limitedRequests,
  limitKey,
  rateLimited,
  type Taken,
} from "./rate-limit";
import {
  type ApiRequest,
  escapePointer,
  type Query,
  readJsonBody,
  readQuery,
  readUnusedBody,
} from "./read-request";
import { type ReceivedUpload, readUpload } from "./read-upload";
import { traceRequest, traceTenant } from "./trace-request";
import { unusedBodyIssues } from "./unused-body";
import { check } from "./validate";

const log = logOf("api");

/** The result of routing: an operation, or the methods that the path allows, or nothing. */
export type Target =
  | { declaration: Declaration; params: Record<string, string> }
  | { allow: string[] }
  | "nothing";

/**
 * What a `Request` cannot express. `Headers` joins repeated headers with commas, so two headers
 * look like one that contains a comma.
 */
export type Wire = {
  hasRepeatedIdempotencyKey: boolean;
  /** Set if the request was already counted against the limits of its key. */
  taken?: Taken;
};

/**
 * For a server that sees only joined headers. A key that contains ", " is treated as two headers
 * and refused.
 */
export const wireOfJoinedHeaders = ({ headers }: ApiRequest): Wire => ({
  hasRepeatedIdempotencyKey: headers.get("idempotency-key")?.includes(", ") ?? false,
});

/**
 * A response before it is sent. Our own server writes it directly, because creating a `Response`
 * object would cost more than everything else.
 */
export type Outgoing = {
  status: number;
  headers: Record<string, string>;
  body: string | Uint8Array | EventStream | null;
};

export const isStream = (body: Outgoing["body"]): body is EventStream =>
  body !== null && typeof body === "object" && "read" in body;

export const toResponse = ({ body, ...init }: Outgoing): Response =>
  new Response(isStream(body) ? toReadable(body) : (body as BodyInit | null), init);

function toReadable(stream: EventStream): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream(
    {
      start: (controller) =>
        stream.signal.addEventListener("abort", () => controller.error(stream.signal.reason)),
      pull: async (controller) => {
        const part = await stream.read();
        if (part === null) controller.close();
        else controller.enqueue(encoder.encode(part));
      },
      cancel: () => stream.cancel(),
    },
    { highWaterMark: 0 },
  );
}

const strictTransport = { "Strict-Transport-Security": "max-age=63072000" };

/**
 * Handles every request below /v1. The order of its checks is part of the contract: authentication
 * and the key's allowed addresses, rate limit, route and method, scope, size and media type,
 * parsing, idempotency lookup, validation. The service then checks existence and its own rules.
 */
export function respond(request: ApiRequest, target: Target, wire: Wire): Promise<Outgoing> {
  const tracing = tracer();
  if (!tracing) return run(request, target, wire);
  return traceRequest(tracing, request, target, () => run(request, target, wire));
}

async function run(request: ApiRequest, target: Target, wire: Wire): Promise<Outgoing> {
  // The id has the same time, because the request log is filtered by it.
  const startedAt = new Date();
  const requestId = newId("request", startedAt);
  const headers: Record<string, string> = {
    "X-Request-Id": requestId,
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    // Only if the client connected over https, as reported by the proxy.
    ...(request.headers.get("x-forwarded-proto")?.startsWith("https") && strictTransport),
  };
  const { path, search } = splitUrl(request.url);
  const trace: Trace = {
    startedAt,
    startedMs: performance.now(),
    idempotencyKey: null,
    requestBody: null,
  };
  const address = clientAddress(request.headers.get("x-forwarded-for"));
  let key: KnownKey | null = null;
  let response: JsonResponse & { stream?: EventStream };
  try {
    key = await authenticate(request, address);
    traceTenant(key);
    if (key.movedTo) return await forward(request, key.movedTo, { address, wire });
    await requireAllowedAddress(key, address);
    const taken = wire.taken ?? (await limitKey(key));
    addRateLimitHeaders(headers, taken);
    if (!taken.isAllowed) throw rateLimited(taken.binding, limitedRequests[taken.binding.name]);
    markKeyUsed(key);
    countRequest(key);

    const { declaration, params } = requireOperation(target);
    if (declaration.deprecated) Object.assign(headers, deprecationHeaders(declaration.deprecated));
    requireScope(key, declaration);
    const identity: Identity = {
      partition: { tenantId: key.tenantId, environment: key.environment },
      actor: { type: "API_KEY", id: key.id, scopes: key.scopes },
      request: { id: requestId, idempotencyKey: null },
      address,
    };
    if (!isRead(request)) {
      const incoming = { request, wire, path, search, requestId, trace };
      const changed = await change(declaration, identity, params, incoming);
      // The process that made the change may have ended before it noted the write.
      if (changed.isReplay && hasReplica()) await noteWrite(identity);
      response = withVersion(request, headers, declaration, changed);
    } else if (declaration.follow) {
      response = await stream(declaration, { request, key, identity, params, search });
      Object.assign(headers, streamHeaders);
    } else {
      const found = await read(declaration, identity, params, search);
      response = withVersion(request, headers, declaration, found);
    }
    if (response.isReplay) headers["Idempotent-Replayed"] = "true";
  } catch (thrown) {
    const problem = toProblem(thrown, path, requestId);
    Object.assign(headers, problem.headers);
    response = problem;
  }
  measure(target, response.status, trace.startedMs);
  if (log.isLevelEnabled("debug"))
    log.debug(
      {
        requestId,
        tenantId: key?.tenantId,
        method: request.method,
        path,
        status: response.status,
        durationMs: Math.round(performance.now() - trace.startedMs),
      },
      "a request ended",
    );
  if (response.status !== 304)
    headers["Content-Type"] ??=
      response.status < 400 ? "application/json" : "application/problem+json";
  if (key && !key.movedTo)
    logResponse(key, request, search ? `${path}?${search}` : path, {
      requestId,
      address,
      trace,
      response,
    });
  const isBodiless = request.method === "HEAD" || response.status === 304;
  const body = isBodiless
    ? null
    : (response.stream ??
      (await compressed(response.body, request.headers.get("accept-encoding"), headers)));
  return { status: response.status, headers, body };
}

function measure(target: Target, status: number, startedMs: number): void {
  const counting = meter();
  if (!counting) return;
  const operation =
    target !== "nothing" && "declaration" in target ? target.declaration.operationId : "none";
  counting.count("requests", { operation, status: String(status) });
  counting.observe("requestDuration", performance.now() - startedMs, { operation });
}

const isRead = ({ method }: ApiRequest): boolean => method === "GET" || method === "HEAD";

/**
 * Adds an `ETag` to a single resource that was read or patched. A client that already has the
 * current version gets a 304. If the resource has links that expire, the client gets new links
 * instead.
 */
function withVersion(
  request: ApiRequest,
  headers: Record<string, string>,
  declaration: Declaration,
  response: JsonResponse,
): JsonResponse {
  if (response.status >= 300 || !returnsVersion(request.method, declaration)) return response;
  if (response.version !== undefined) {
    // The bytes of the links differ each time, so the ETag is a weak one.
    headers.ETag = `W/${etagOf(response.version)}`;
    return response;
  }
  headers.ETag = etagOf(response.body);
  return isRead(request) && isKnownVersion(request.headers.get("if-none-match"), headers.ETag)
    ? { status: 304, body: "" }
    : response;
}

/** What the request log records besides the response. */
type Trace = {
  startedAt: Date;
  startedMs: number;
  idempotencyKey: string | null;
  requestBody: Uint8Array | null;
};

type LoggedResponse = {
  requestId: string;
  address: string | null;
  trace: Trace;
  response: JsonResponse;
};

function logResponse(
  key: KnownKey,
  request: ApiRequest,
  path: string,
  { requestId, address, trace, response }: LoggedResponse,
): void {
  const { status, body, isReplay = false } = response;
  const isPlainRead = status < 400 && isRead(request);
  // It repeats a request whose text was removed, or is about a customer who was erased.
  const isGone = status === errorKinds.gone.status;
  logRequest({
    id: requestId,
    key,
    method: request.method,
    path,
    status,
    durationMs: performance.now() - trace.startedMs,
    idempotencyKey: trace.idempotencyKey,
    address,
    userAgent: request.headers.get("user-agent"),
    isReplay,
    requestBody: isGone ? null : trace.requestBody,
    responseBody: isPlainRead ? null : body,
    startedAt: trace.startedAt,
  });
}

function requireOperation(target: Target) {
  if (target === "nothing") throw new AppError("not-found", "There is nothing at this path.");
  if ("declaration" in target) return target;
  throw methodNotAllowed(target.allow);
}

/** Open streams check it again (`event-stream.ts`), and MCP lists tools by it (`mcp.ts`). */
function requireScope(key: KnownKey, { scope }: Declaration): void {
  if (key.scopes.has(scope)) return;
  throw insufficientScope(scope);
}

async function read(
  declaration: Declaration,
  identity: Identity,
  params: Record<string, string>,
  search: string,
): Promise<JsonResponse> {
  const input = validated(declaration, params, readQuery(search), undefined);
  const run = (caller: Caller) => declaration.run({ ...input, caller, file: undefined });
  const result = await (declaration.mayReadReplica
    ? readFromReplica(identity, run)
    : run(reader(identity)));
  const serialize = serializerOf(declaration);
  const lasting = declaration.withoutLinks?.(result) ?? result;
  return {
    status: declaration.status ?? 200,
    body: serialize(result),
    ...(lasting !== result && { version: serialize(lasting) }),
  };
}

/** Proxies and Next's own server must pass each part on as it is. */
const streamHeaders = {
  "Content-Type": "text/event-stream",
  "Cache-Control": "no-store, no-transform",
  "X-Accel-Buffering": "no",
};

type Opening = {
  request: ApiRequest;
  key: KnownKey;
  identity: Identity;
  params: Record<string, string>;
  search: string;
};

async function stream(
  declaration: Declaration,
  { request, key, identity, params, search }: Opening,
): Promise<JsonResponse & { stream?: EventStream }> {
  const input = validated(declaration, params, readQuery(search), undefined);
  const opened = { status: 200, body: "" };
  const { follow, scope } = declaration;
  if (!follow || request.method === "HEAD") return opened;
  const caller = reader(identity);
  const lastEventId = request.headers.get("last-event-id");
  const { address } = identity;
  return {
    ...opened,
    stream: await openEventStream({ key, scope, address }, () =>
      follow({ ...input, caller, lastEventId }),
    ),
  };
}

type Incoming = {
  request: ApiRequest;
  wire: Wire;
  path: string;
  search: string;
  requestId: string;
  trace: Trace;
};

async function change(
  declaration: Declaration,
  identity: Identity,
  params: Record<string, string>,
  incoming: Incoming,
): Promise<JsonResponse> {
  const { request, path, search, trace } = incoming;
  const body = await readBody(request, declaration, (bytes) => {
    trace.requestBody = bytes;
  });
  try {
    const status = declaration.status ?? 200;
    if (incoming.wire.hasRepeatedIdempotencyKey) throw repeatedIdempotencyKey();
    const { header: ifMatch, issues, requireMatch } = readIfMatch(request, declaration);
    const record = newRecord(
      request,
      { method: request.method, path, search, ifMatch, bytes: body.bytes },
      status,
      new Date(),
    );
    trace.idempotencyKey = record?.key ?? null;
    const caller: Identity = {
      ...identity,
      ...(record && { request: { id: incoming.requestId, idempotencyKey: record.key } }),
      ...(requireMatch && { requireMatch }),
    };

    let input: Change["input"];
    try {
      const { params: pathSchema, query, response } = declaration;
      input = validated(
        { params: pathSchema, query, body: body.schema, response },
        params,
        readQuery(search),
        body.value,
        [...issues, ...body.issues],
      );
    } catch (error) {
      // A replay takes precedence over a validation error. For a valid request, `perform` looks up
      // the stored response.
      const stored = record && (await findStoredResponse(caller.partition, record));
      if (stored) return { ...stored, isReplay: true };
      throw error;
    }

    return await perform({ declaration, identity: caller, record, input, file: body.file, path });
  } finally {
    await body.file?.incoming.discard();
  }
}

async function readBody(
  request: ApiRequest,
  declaration: Declaration,
  onBytes: (bytes: Uint8Array) => void,
): Promise<ReceivedUpload> {
  const { body: schema, upload, isBodyOptional: isOptional = false } = declaration;
  if (upload) return readUpload(request, upload, { formSchema: schema, onBytes });
  if (schema) {
    const body = await readJsonBody(request, { isOptional, onBytes });
    return { ...body, schema, issues: [], file: null };
  }
  const bytes = await readUnusedBody(request);
  const issues = unusedBodyIssues(bytes, declaration.query);
  return { bytes, value: undefined, schema, issues, file: null };
}

type Schemas = {
  params?: Declaration["params"] | undefined;
  query?: Declaration["query"] | undefined;
  body?: z.ZodType | undefined;
  response: Declaration["response"];
};

/** @throws AppError with everything that is wrong with path, query and body */
function validated(
  { params, query, body, response }: Schemas,
  pathValues: Record<string, string>,
  queryValues: Query,
  bodyValue: unknown,
  earlierIssues: ValidationIssue[] = [],
) {
  const checkedParams = params ? check(params, pathValues, "path") : { output: {}, issues: [] };
  const checkedQuery = query
    ? check(query, { ...queryValues }, "query")
    : { output: {}, issues: unknownParameters(queryValues) };
  const checkedBody = body
    ? check(body, bodyValue, "body", fieldsOf(response))
    : { output: undefined, issues: [] };
  const issues = [
    ...checkedParams.issues,
    ...checkedQuery.issues,
    ...earlierIssues,
    ...checkedBody.issues,
  ];
  if (issues.length > 0) throw invalidRequest(issues);
  return { params: checkedParams.output, query: checkedQuery.output, body: checkedBody.output };
}

function unknownParameters(query: Query): ValidationIssue[] {
  return Object.keys(query).map((name) => ({
    pointer: `/${escapePointer(name)}`,
    location: "query",
    code: "unknown_field",
    predicate: "is not a known parameter",
  }));
}

const knownFields = new WeakMap<z.ZodType, ReadonlySet<string>>();

function fieldsOf(response: z.ZodType): ReadonlySet<string> {
  const known =
    knownFields.get(response) ?? new Set(Object.keys((response as { shape?: object }).shape ?? {}));
  knownFields.set(response, known);
  return known;
}

/**
 * The path without the prefix of Next's own route (`/api`), and the query without its question
 * mark.
 */
export function splitUrl(url: string): { path: string; search: string } {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  const question = url.indexOf("?", start);
  const path = (question < 0 ? url.slice(start) : url.slice(start, question)).replace(
    /^\/api\/v1(?=\/|$)/,
    "/v1",
  );
  return { path, search: question < 0 ? "" : url.slice(question + 1) };
}
