import type { z } from "zod";
import type { Scope } from "@/lib/api-keys/scopes";
import type { IdempotencyRecord, Serialize } from "@/lib/events/idempotency-record";
import type { StoredFile } from "@/lib/platform/blobs/service";
import type { Caller, Identity } from "@/lib/platform/caller";
import type { ErrorKind } from "@/lib/platform/errors";
import type { Upload } from "./read-upload";
import { respond, toResponse, wireOfJoinedHeaders } from "./respond";

/**
 * What a route file says of an operation. Everything that is known of it, documents included, is
 * made from this.
 */
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
  /**
   * It takes a file, which is kept in the BlobStore before `run`, and given to it. What stands
   * beside it is `body`.
   */
  upload?: File;
  response: Response;
  /**
   * Errors of the service itself, beside what the pipeline and an id in the path can lead to.
   * Documented, and no others pass the tests.
   */
  problems?: readonly ErrorKind[];
  /** The answer is encrypted where it is stored for replays. */
  answerHoldsSecret?: boolean;
  /** Calls one service function. In a mutation `caller.db` is its transaction. */
  run: (
    input: Input<Params, Query, Body> & {
      caller: Caller;
      file: File extends Upload ? StoredFile : undefined;
    },
  ) => Promise<z.input<Response>>;
  /**
   * The same effect and response in one statement, for the few operations where measurements
   * justify it. Returns null if it does not apply or wrote nothing; then `run` is called.
   */
  runInOneStatement?: (
    input: Input<Params, Query, Body> & {
      identity: Identity;
      record: IdempotencyRecord | null;
      serialize: Serialize<z.input<Response>>;
    },
  ) => Promise<string | null>;
};

type Input<Params extends z.ZodType, Query extends z.ZodType, Body extends z.ZodType> = {
  params: z.output<Params>;
  query: z.output<Query>;
  body: z.output<Body>;
};

type RouteContext = { params: Promise<Record<string, string>> };

/** What a route file exports for a method: a handler that carries its declaration. */
export type Operation = ((request: Request, context: RouteContext) => Promise<Response>) & {
  declaration: Declaration;
};

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
    toResponse(
      await respond(
        request,
        { declaration: untyped, params: await context.params },
        wireOfJoinedHeaders(request),
      ),
    );
  return Object.assign(handler, { declaration: untyped });
}
