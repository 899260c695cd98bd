import type { z } from "zod";
import type { KnownKey } from "@/lib/api-keys/key-cache";
import { markKeyUsed } from "@/lib/api-keys/last-used";
import { type Identity, reader } from "@/lib/platform/caller";
import { clientAddress } from "@/lib/platform/client-address";
import {
  AppError,
  insufficientScope,
  invalidRequest,
  methodNotAllowed,
  repeatedIdempotencyKey,
  type ValidationIssue,
} from "@/lib/platform/errors";
import { logRequest } from "@/lib/request-logs/request-log-buffer";
import { newId } from "@/lib/resources/ids";
import { countRequest } from "@/lib/usage/count-requests";
import { authenticate, requireAllowedAddress } from "./authenticate";
import { compressed, etagOf, isKnownVersion, returnsResource } from "./encode";
import { findStoredResponse, readRecord } from "./idempotency";
import type { Declaration } from "./operation";
import { type Answer, type Change, perform, serializerOf } from "./perform";
import { toProblem } from "./problem";
import { addRateLimitHeaders, limitedRequests, limitKey, rateLimited } from "./rate-limit";
import { escapePointer, readJsonBody, readQuery, readUnusedBody } from "./read-request";
import { type ReceivedUpload, readUpload } from "./read-upload";
import { check } from "./validate";

/** What a request's path and method lead to. */
export type Target =
  | { declaration: Declaration; params: Record<string, string> }
  | { allow: string[] }
  | "nothing";

/**
 * What a `Request` cannot express: its `Headers` join a repeated header with commas, which a single
 * header may contain too.
 */
export type Wire = { hasRepeatedIdempotencyKey: boolean };

/**
 * For a server that sees only joined headers: a key that contains ", " counts as two, so that two are
 * never read as one.
 */
export const wireOfJoinedHeaders = ({ headers }: Request): Wire => ({
  hasRepeatedIdempotencyKey: headers.get("idempotency-key")?.includes(", ") ?? false,
});

/**
 * A response before it is sent. Our own server writes it as it is, because a `Response` object would
 * cost more than everything else.
 */
export type Outgoing = {
  status: number;
  headers: Record<string, string>;
  body: string | Uint8Array | null;
};

export const toResponse = ({ body, ...init }: Outgoing): Response =>
  new Response(body as BodyInit | null, init);

const strictTransport = { "Strict-Transport-Security": "max-age=63072000" };

/**
 * The pipeline of every request below /v1, in the contract's order: authentication and the key's
 * allowed addresses, rate limit, route and method, scope, size and media type, parsing, idempotency
 * lookup, validation. The service then checks existence and its own rules.
 */
export async function respond(request: Request, target: Target, wire: Wire): Promise<Outgoing> {
  const requestId = newId("request");
  const headers: Record<string, string> = {
    "X-Request-Id": requestId,
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    // Only if the client connected over https, which the proxy says.
    ...(request.headers.get("x-forwarded-proto")?.startsWith("https") && strictTransport),
  };
  const { path, search } = splitUrl(request.url);
  const trace: Trace = {
    startedAt: new Date(),
    startedMs: performance.now(),
    idempotencyKey: null,
    requestBody: null,
  };
  const address = clientAddress(request.headers.get("x-forwarded-for"));
  let key: KnownKey | null = null;
  let answer: Answer;
  try {
    key = await authenticate(request, address);
    await requireAllowedAddress(key, address);
    const taken = await limitKey(key);
    addRateLimitHeaders(headers, taken);
    if (!taken.isAllowed) throw rateLimited(taken.binding, limitedRequests[taken.binding.name]);
    markKeyUsed(key);
    countRequest(key);

    const { declaration, params } = requireOperation(target);
    requireScope(key, declaration);
    const identity: Identity = {
      partition: { tenantId: key.tenantId, environment: key.environment },
      actor: { type: "API_KEY", id: key.id },
      request: { id: requestId, idempotencyKey: null },
      address,
    };
    answer =
      request.method === "GET" || request.method === "HEAD"
        ? readVersion(
            request,
            headers,
            declaration,
            await read(declaration, identity, params, search),
          )
        : await change(declaration, identity, params, {
            request,
            wire,
            path,
            search,
            requestId,
            trace,
          });
    if (answer.isReplay) headers["Idempotent-Replayed"] = "true";
  } catch (thrown) {
    const problem = toProblem(thrown, path, requestId);
    Object.assign(headers, problem.headers);
    answer = problem;
  }
  if (answer.status !== 304)
    headers["Content-Type"] = answer.status < 400 ? "application/json" : "application/problem+json";
  if (key)
    logAnswered(key, request, search ? `${path}?${search}` : path, {
      requestId,
      address,
      trace,
      answer,
    });
  const isBodiless = request.method === "HEAD" || answer.status === 304;
  const body = isBodiless
    ? null
    : await compressed(answer.body, request.headers.get("accept-encoding"), headers);
  return { status: answer.status, headers, body };
}

/**
 * A single resource has the `ETag` of its version. A client that already has this version gets a 304.
 */
function readVersion(
  request: Request,
  headers: Record<string, string>,
  declaration: Declaration,
  answer: Answer,
): Answer {
  if (!returnsResource(declaration)) return answer;
  headers.ETag = etagOf(answer.body);
  return isKnownVersion(request.headers.get("if-none-match"), headers.ETag)
    ? { status: 304, body: "" }
    : answer;
}

/** What the request log records besides the response. */
type Trace = {
  startedAt: Date;
  startedMs: number;
  idempotencyKey: string | null;
  requestBody: Uint8Array | null;
};

type Answered = { requestId: string; address: string | null; trace: Trace; answer: Answer };

function logAnswered(
  key: KnownKey,
  { method, headers }: Request,
  path: string,
  { requestId, address, trace, answer }: Answered,
): void {
  const { startedMs, ...known } = trace;
  const { status, body, isReplay = false } = answer;
  const isPlainRead = status < 400 && (method === "GET" || method === "HEAD");
  logRequest({
    ...{
      id: requestId,
      key,
      method,
      path,
      status,
      durationMs: performance.now() - startedMs,
      address,
      isReplay,
      ...known,
    },
    userAgent: headers.get("user-agent"),
    responseBody: isPlainRead ? null : body,
  });
}

function requireOperation(target: Target) {
  if (target === "nothing") throw new AppError("not-found", "There is nothing at this path.");
  if ("declaration" in target) return target;
  throw methodNotAllowed(target.allow);
}

function requireScope(key: KnownKey, { scope }: Declaration): void {
  if (key.scopes.has(scope)) return;
  throw insufficientScope(scope);
}

async function read(
  declaration: Declaration,
  identity: Identity,
  params: Record<string, string>,
  search: string,
): Promise<Answer> {
  const input = validated(declaration, params, readQuery(search), undefined);
  const result = await declaration.run({ ...input, caller: reader(identity), file: undefined });
  return { status: declaration.status ?? 200, body: serializerOf(declaration)(result) };
}

type Incoming = {
  request: Request;
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
): Promise<Answer> {
  const { request, path, search, trace } = incoming;
  const body = await readBody(request, declaration, (bytes) => {
    trace.requestBody = bytes;
  });
  try {
    const status = declaration.status ?? 200;
    if (incoming.wire.hasRepeatedIdempotencyKey) throw repeatedIdempotencyKey();
    const record = readRecord(
      request,
      { method: request.method, path, search, bytes: body.bytes },
      status,
      new Date(),
    );
    trace.idempotencyKey = record?.key ?? null;
    const caller: Identity = record
      ? { ...identity, request: { id: incoming.requestId, idempotencyKey: record.key } }
      : identity;

    let input: Change["input"];
    try {
      input = validated(
        { ...declaration, body: body.schema },
        params,
        readQuery(search),
        body.value,
        body.issues,
      );
    } catch (error) {
      // The lookup comes before validation, but only an invalid request needs it here: a valid one
      // writes its record below.
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
  request: Request,
  declaration: Declaration,
  onBytes: (bytes: Uint8Array) => void,
): Promise<ReceivedUpload> {
  const { body: schema, upload, isBodyOptional: isOptional = false } = declaration;
  if (upload) return readUpload(request, upload, { formSchema: schema, onBytes });
  const body = schema
    ? await readJsonBody(request, { isOptional, onBytes })
    : { bytes: await readUnusedBody(request), value: undefined };
  return { ...body, schema, issues: [], file: null };
}

/** @throws AppError with everything that is wrong with path, query and body */
function validated(
  {
    params,
    query,
    body,
    response,
  }: Pick<Declaration, "params" | "query" | "response"> & { body?: z.ZodType | undefined },
  pathValues: Record<string, string>,
  queryValues: Record<string, string>,
  bodyValue: unknown,
  bodyIssues: ValidationIssue[] = [],
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
    ...bodyIssues,
    ...checkedBody.issues,
  ];
  if (issues.length > 0) throw invalidRequest(issues);
  return { params: checkedParams.output, query: checkedQuery.output, body: checkedBody.output };
}

function unknownParameters(query: Record<string, string>): ValidationIssue[] {
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

/** The path without Next's own prefix, and the query without its question mark. */
export function splitUrl(url: string): { path: string; search: string } {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  const question = url.indexOf("?", start);
  const path = (question < 0 ? url.slice(start) : url.slice(start, question)).replace(
    /^\/api\/v1(?=\/|$)/,
    "/v1",
  );
  return { path, search: question < 0 ? "" : url.slice(question + 1) };
}
