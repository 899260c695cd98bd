import type { z } from "zod";
import type { KnownKey } from "@/lib/api-keys/key-cache";
import { markUsed } from "@/lib/api-keys/last-used";
import type { Scope } from "@/lib/api-keys/scopes";
import { releaseBlob, type StoredFile, storeBlob } from "@/lib/blobs/service";
import { type Caller, type Identity, mutate, reader } from "@/lib/caller";
import type { Claim, Serialize } from "@/lib/claim";
import { isDeadlock } from "@/lib/db";
import { AppError, type ErrorKind, type ValidationIssue } from "@/lib/errors";
import { newId } from "@/lib/ids";
import { logRequest } from "@/lib/request-logs/gather";
import { countRequest } from "@/lib/usage/count-requests";
import { authenticate } from "./authenticate";
import { clientAddress } from "./client-address";
import { claimKey, findStoredAnswer, inProgress, isStillClaimed, readClaim, type StoredAnswer, storeAnswer } from "./idempotency";
import { toProblem } from "./problem";
import { addRateLimitHeaders, limitKey, rateLimited } from "./rate-limit";
import { escapePointer, readJsonBody, readQuery } from "./read-request";
import { type ReceivedUpload, readUpload, type Upload } from "./read-upload";
import { check, invalid } from "./validate";

/** What a route file says of an operation. Everything that is known of it, documents included, is made from this. */
export type Declaration<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Response extends z.ZodType = z.ZodType,
  File extends Upload | undefined = Upload | undefined,
> = {
  /** Stable: client libraries name their functions after it. */
  operationId: string;
  summary: string;
  /** What the summary leaves open, in Markdown. */
  description?: string;
  scope: Scope;
  /** Of the answer when all is well; 200 unless given. */
  status?: 200 | 201 | 202;
  params?: Params;
  query?: Query;
  body?: Body;
  /** Without a body and its media type, the request counts as one with an empty object. */
  isBodyOptional?: boolean;
  /** It takes a file, which is kept in the BlobStore before `run`, and given to it. What stands beside it is `body`. */
  upload?: File;
  response: Response;
  /** Errors of the service itself, beside what the pipeline and an id in the path can lead to. Documented, and no others pass the tests. */
  problems?: readonly ErrorKind[];
  /** The answer is encrypted where it is stored for replays. */
  answerHoldsSecret?: boolean;
  /** Calls one service function. In a mutation `caller.db` is its transaction. */
  run: (
    input: Input<Params, Query, Body> & { caller: Caller; file: File extends Upload ? StoredFile : undefined },
  ) => Promise<z.input<Response>>;
  /**
   * The same effect and answer in one statement, for the few operations where that was measured to count. Null where it
   * does not apply or wrote nothing; then `run` is asked.
   */
  runAtOnce?: (
    input: Input<Params, Query, Body> & { identity: Identity; claim: Claim | null; serialize: Serialize<z.input<Response>> },
  ) => Promise<string | null>;
};

type Input<Params extends z.ZodType, Query extends z.ZodType, Body extends z.ZodType> = {
  params: z.output<Params>;
  query: z.output<Query>;
  body: z.output<Body>;
};

type RouteContext = { params: Promise<Record<string, string>> };

/** What a route file exports for a method: a handler that carries its declaration. */
export type Operation = ((request: Request, context: RouteContext) => Promise<Response>) & { declaration: Declaration };

export function operation<
  Params extends z.ZodType,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Response extends z.ZodType,
  File extends Upload | undefined = undefined,
>(declaration: Declaration<Params, Query, Body, Response, File>): Operation {
  // The types hold the declaration together; whoever serves it treats all alike.
  const untyped = declaration as unknown as Declaration;
  const handler = async (request: Request, context: RouteContext) =>
    toResponse(await respond(request, { declaration: untyped, params: await context.params }));
  return Object.assign(handler, { declaration: untyped });
}

/** What a request's path and method lead to. */
export type Target = { declaration: Declaration; params: Record<string, string> } | { allow: string[] } | "nothing";

/** An answer before it is put on the wire. Our own server writes it as it is; a `Response` would cost more than the rest. */
export type Outgoing = { status: number; headers: Record<string, string>; body: string | null };

export const toResponse = ({ body, ...init }: Outgoing): Response => new Response(body, init);

/**
 * The pipeline of every request below /v1, in the contract's order: authentication, rate limit, route and method, scope,
 * size and media type, parsing, idempotency look-up, validation; then the service finds out about existence and its rules.
 */
export async function respond(request: Request, target: Target): Promise<Outgoing> {
  const requestId = newId("request");
  const headers: Record<string, string> = { "X-Request-Id": requestId, "Cache-Control": "no-store" };
  const { path, search } = splitUrl(request.url);
  const trace: Trace = { startedAt: new Date(), startedMs: performance.now(), idempotencyKey: null, requestBody: null };
  const address = clientAddress(request);
  let key: KnownKey | null = null;
  let answer: Answer;
  try {
    key = await authenticate(request, address);
    const taken = await limitKey(key);
    addRateLimitHeaders(headers, taken);
    if (!taken.isAllowed) throw rateLimited(taken);
    markUsed(key);
    countRequest(key);
    if (!key.isAllowedFrom(address)) throw new AppError("ip-not-allowed", "This API key may not be used from this address.");

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
        ? await read(declaration, identity, params, search)
        : await change(declaration, identity, params, { request, path, search, requestId, trace });
    if (answer.isReplay) headers["Idempotent-Replayed"] = "true";
  } catch (thrown) {
    const problem = toProblem(thrown, path, requestId);
    Object.assign(headers, problem.headers);
    answer = problem;
  }
  headers["Content-Type"] = answer.status < 400 ? "application/json" : "application/problem+json";
  if (key) logAnswered(key, request, search ? `${path}?${search}` : path, { requestId, address, trace, answer });
  return { status: answer.status, headers, body: request.method === "HEAD" ? null : answer.body };
}

/** What the request log is told beside the answer, gathered on the way to it. */
type Trace = { startedAt: Date; startedMs: number; idempotencyKey: string | null; requestBody: Uint8Array | null };

type Answered = { requestId: string; address: string; trace: Trace; answer: Answer };

function logAnswered(key: KnownKey, { method }: Request, path: string, { requestId, address, trace, answer }: Answered): void {
  const { startedMs, ...known } = trace;
  const { status, body } = answer;
  const isPlainRead = status < 400 && (method === "GET" || method === "HEAD");
  const responseBody = isPlainRead ? null : body;
  logRequest({ id: requestId, key, method, path, status, durationMs: performance.now() - startedMs, address, responseBody, ...known });
}

function requireOperation(target: Target) {
  if (target === "nothing") throw new AppError("not-found", "There is nothing at this path.");
  if ("declaration" in target) return target;
  const allow = target.allow.join(", ");
  throw new AppError("method-not-allowed", `This path takes ${allow}.`, {}, { Allow: allow });
}

function requireScope(key: KnownKey, { scope }: Declaration): void {
  if (key.scopes.has(scope)) return;
  throw new AppError("insufficient-scope", `This operation needs the scope ${scope}, which the API key does not have.`, {
    requiredScope: scope,
  });
}

type Answer = StoredAnswer & { isReplay?: boolean };

async function read(declaration: Declaration, identity: Identity, params: Record<string, string>, search: string): Promise<Answer> {
  const input = validated(declaration, params, readQuery(search), undefined);
  const result = await declaration.run({ ...input, caller: reader(identity), file: undefined });
  return { status: declaration.status ?? 200, body: serializerOf(declaration)(result) };
}

type Incoming = { request: Request; path: string; search: string; requestId: string; trace: Trace };

async function change(declaration: Declaration, identity: Identity, params: Record<string, string>, incoming: Incoming): Promise<Answer> {
  const { request, path, search, trace } = incoming;
  const body = await readBody(request, declaration, (bytes) => {
    trace.requestBody = bytes;
  });
  try {
    const status = declaration.status ?? 200;
    const claim = readClaim(request, { method: request.method, path, search, bytes: body.bytes }, status, new Date());
    trace.idempotencyKey = claim?.key ?? null;
    const caller: Identity = claim ? { ...identity, request: { id: incoming.requestId, idempotencyKey: claim.key } } : identity;

    let input: Validated;
    try {
      input = validated({ ...declaration, body: body.schema }, params, readQuery(search), body.value, body.issues);
    } catch (error) {
      // The look-up comes before validation, but only what is not valid needs it here: a valid request claims its key below.
      const stored = claim && (await findStoredAnswer(caller.partition, claim));
      if (stored) return { ...stored, isReplay: true };
      throw error;
    }

    try {
      if (!body.file) return await perform(declaration, caller, { ...input, file: undefined }, claim, path);
      return await performWithFile(declaration, caller, { ...input, file: body.file }, claim, path);
    } catch (error) {
      throw isStillClaimed(error) ? inProgress() : error;
    }
  } finally {
    await body.file?.incoming.discard();
  }
}

async function readBody(request: Request, declaration: Declaration, onBytes: (bytes: Uint8Array) => void): Promise<ReceivedUpload> {
  const { body: schema, upload, isBodyOptional: isOptional = false } = declaration;
  if (upload) return readUpload(request, upload, { formSchema: schema, onBytes });
  const body = schema ? await readJsonBody(request, { isOptional, onBytes }) : { bytes: new Uint8Array(), value: undefined };
  return { ...body, schema, issues: [], file: null };
}

type Received = Validated & { file: NonNullable<ReceivedUpload["file"]> };

/**
 * Keeps the file first, because the store is no part of the transaction. What the transaction does not take, for it was a
 * replay or a refusal, is removed again.
 */
async function performWithFile(declaration: Declaration, identity: Identity, input: Received, claim: Claim | null, path: string) {
  const earlier = claim && (await findStoredAnswer(identity.partition, claim));
  if (earlier) return { ...earlier, isReplay: true };
  const { incoming, contentType } = input.file;
  const { sizeBytes, sha256 } = incoming;
  const blobKey = await storeBlob(identity.partition, incoming);
  try {
    return await perform(declaration, identity, { ...input, file: { blobKey, contentType, sizeBytes, sha256 } }, claim, path);
  } finally {
    await releaseBlob(identity.partition, blobKey);
  }
}

type Validated = ReturnType<typeof validated>;
type Accepted = Validated & { file: StoredFile | undefined };

/** Runs the change once for its idempotency key, whatever else is sent with it at the same time. */
async function perform(declaration: Declaration, identity: Identity, input: Accepted, claim: Claim | null, path: string): Promise<Answer> {
  const status = declaration.status ?? 200;
  const serialize = serializerOf(declaration);
  if (declaration.runAtOnce) {
    const body = await declaration.runAtOnce({ ...input, identity, claim, serialize }).catch(nullOnDeadlock);
    if (body !== null) return { status, body };
  }
  if (!claim) return { status, body: await mutate(identity, async (caller) => serialize(await declaration.run({ ...input, caller }))) };

  const earlier = await findStoredAnswer(identity.partition, claim);
  if (earlier) return { ...earlier, isReplay: true };
  try {
    const body = await mutate(identity, async (caller) => {
      if (!(await claimKey(caller.db, identity.partition, claim, "", new Date()))) return null;
      const body = serialize(await declaration.run({ ...input, caller }));
      await storeAnswer(caller.db, identity.partition, claim, body, declaration.answerHoldsSecret ?? false);
      return body;
    });
    if (body !== null) return { status, body };
  } catch (error) {
    if (!(error instanceof AppError) || error.kind === "validation") throw error;
    return storeRefusal(identity, claim, error, path);
  }
  return replay(identity, claim);
}

/** PostgreSQL ended the statement to break a deadlock, so it did nothing, and the longer way remains. */
function nullOnDeadlock(error: unknown): null {
  if (!isDeadlock(error)) throw error;
  return null;
}

/**
 * A refusal by the service is an answer like any other: it is stored and replayed. Its transaction is gone, so the record
 * is written by itself; should another request have been quicker, that one's answer counts.
 */
async function storeRefusal(identity: Identity, claim: Claim, error: AppError, path: string): Promise<Answer> {
  const { status, body } = toProblem(error, path, identity.request?.id ?? "");
  const isStored = await claimKey(reader(identity).db, identity.partition, { ...claim, status }, body, new Date());
  if (isStored) throw error;
  return replay(identity, claim);
}

async function replay(identity: Identity, claim: Claim): Promise<Answer> {
  const stored = await findStoredAnswer(identity.partition, claim);
  if (!stored) throw new Error("an idempotency record was there to be found and is not");
  return { ...stored, isReplay: true };
}

/** @throws AppError with everything that is wrong with path, query and body at once */
function validated(
  { params, query, body, response }: Pick<Declaration, "params" | "query" | "response"> & { body?: z.ZodType | undefined },
  pathValues: Record<string, string>,
  queryValues: Record<string, string>,
  bodyValue: unknown,
  bodyIssues: ValidationIssue[] = [],
) {
  const checkedParams = params ? check(params, pathValues, "path") : { output: {}, issues: [] };
  const checkedQuery = query ? check(query, { ...queryValues }, "query") : { output: {}, issues: unknownParameters(queryValues) };
  const checkedBody = body ? check(body, bodyValue, "body", fieldsOf(response)) : { output: undefined, issues: [] };
  const issues = [...checkedParams.issues, ...checkedQuery.issues, ...bodyIssues, ...checkedBody.issues];
  if (issues.length > 0) throw invalid(issues);
  return { params: checkedParams.output, query: checkedQuery.output, body: checkedBody.output };
}

function unknownParameters(query: Record<string, string>): ValidationIssue[] {
  return Object.keys(query).map((name) => ({
    pointer: `/${escapePointer(name)}`,
    location: "query",
    code: "unknown_field",
    message: `${name} is not known here`,
  }));
}

const knownFields = new WeakMap<z.ZodType, ReadonlySet<string>>();

function fieldsOf(response: z.ZodType): ReadonlySet<string> {
  const known = knownFields.get(response) ?? new Set(Object.keys((response as { shape?: object }).shape ?? {}));
  knownFields.set(response, known);
  return known;
}

/** Parsing on the way out drops what the contract does not name, and fails where something is lacking. */
const serializerOf =
  ({ response }: Declaration): Serialize<unknown> =>
  (result) =>
    JSON.stringify(response.parse(result));

/** The path, without what Next put in front of it, and the query without its question mark. */
export function splitUrl(url: string): { path: string; search: string } {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  const question = url.indexOf("?", start);
  const path = (question < 0 ? url.slice(start) : url.slice(start, question)).replace(/^\/api\/v1(?=\/|$)/, "/v1");
  return { path, search: question < 0 ? "" : url.slice(question + 1) };
}
