import type { z } from "zod";
import type { Scope } from "@/lib/api-keys/scopes";
import type { Follower } from "@/lib/events/follow";
import type { IdempotencyRecord, Serialize } from "@/lib/events/idempotency-record";
import type { StoredFile } from "@/lib/platform/blobs/service";
import type { Caller, Identity } from "@/lib/platform/caller";
import type { ErrorKind } from "@/lib/platform/errors";
import type { Deprecation } from "./deprecation";
import { respond, toResponse, wireOfJoinedHeaders } from "./pipeline";
import type { Upload } from "./read-upload";

/**
 * What a route file declares about an operation. The server, the OpenAPI document and the reference
 * are derived from it.
 */
export type Declaration<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Response extends z.ZodType = z.ZodType,
  File extends Upload | undefined = Upload | undefined,
> = {
  /** Stable, because generated clients name their functions after it. */
  operationId: string;
  summary: string;
  /** Details that the summary omits, in Markdown. */
  description?: string;
  scope: Scope;
  /** Documents that the operation will go away, and adds headers that say so to its responses. */
  deprecated?: Deprecation;
  /** The status of a successful response; 200 by default. */
  status?: 200 | 201 | 202;
  /** For an operation that creates or changes: the status if the result of `run` has `isNew`. */
  statusIfNew?: 201;
  params?: Params;
  query?: Query;
  body?: Body;
  /** A request with neither a body nor a media type is read as if its body were `{}`. */
  isBodyOptional?: boolean;
  /**
   * The operation accepts a file. It is stored in the BlobStore and then passed to `run`. The other
   * fields of the form are `body`.
   */
  upload?: File;
  response: Response;
  /**
   * The errors that `run` itself can throw, apart from those of the pipeline and the 404 for an id
   * in the path. They are documented, and the tests fail if an operation returns any other.
   */
  problems?: readonly ErrorKind[];
  /**
   * The resource that the operation changes. The service compares `If-Match` with the `ETag` that a
   * read of this resource returns: see `requireMatch` of `Identity`.
   */
  versionOf?: z.ZodType;
  /** A POST that only reads. It opens no transaction, unless its response is stored for replays. */
  changesNothing?: true;
  /**
   * A list or search that a replica may serve, if there is one. Its response may lack what others
   * changed in the last seconds, but never what the caller changed. Not for what a program reads
   * because it was just notified: single resources, the messages of a conversation, events.
   */
  mayReadReplica?: true;
  /**
   * For a resource whose response has links that expire: the response without these links, from
   * which its `ETag` is made. Returns the same object if it has no links.
   */
  withoutLinks?: (result: z.input<Response>) => z.input<Response>;
  /** The response is stored encrypted, for replays. */
  responseHasSecret?: boolean;
  /** Calls one service function. In a mutation `caller.db` is its transaction. */
  run: (
    input: Input<Params, Query, Body> & {
      caller: Caller;
      file: File extends Upload ? StoredFile : undefined;
    },
  ) => Promise<z.input<Response> & { isNew?: boolean }>;
  /**
   * Instead of `run`: the response is a stream of server-sent events, and `response` describes the
   * data of each. `lastEventId` is the header `Last-Event-ID`.
   */
  follow?: (
    input: Input<Params, Query, Body> & { caller: Caller; lastEventId: string | null },
  ) => Promise<Follower>;
  /**
   * Does the same as `run` in one statement, for the few operations where measurements justify it.
   * Returns null if it does not apply or wrote nothing; then `run` is called.
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
  // The types matter only where a route is declared. The server treats all declarations alike.
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

type StreamDeclaration<Query extends z.ZodType, Response extends z.ZodType> = Omit<
  Declaration<z.ZodType, Query, z.ZodType, Response, undefined>,
  "run" | "follow"
> & { follow: NonNullable<Declaration<z.ZodType, Query>["follow"]> };

/** An operation whose response is a stream of events. */
export const streamOperation = <Query extends z.ZodType, Response extends z.ZodType>(
  declaration: StreamDeclaration<Query, Response>,
): Operation =>
  operation({ ...declaration, run: () => Promise.reject(new Error("a stream is followed")) });
