import { ParlanceError } from "./errors";
import { followStream, type StreamOptions } from "./event-stream";
import type { Operations, StreamEventsQuery, WebhookEvent } from "./generated/types";
import {
  type ApiPromise,
  type ListPromise,
  type Page,
  toApiPromise,
  toListPromise,
} from "./responses";
import {
  type ApiResult,
  fillPath,
  type Outgoing,
  type RequestOptions,
  type Settings,
  send,
  toSearch,
} from "./transport";
import type { UploadFileBody } from "./upload";

type Route = Operations[keyof Operations]["route"];
type OperationAt<R extends Route> = Extract<Operations[keyof Operations], { route: R }>;
type ResponseAt<R extends Route> = OperationAt<R>["response"];

/** A list that has pages. Some lists have only one response. */
type ListRoute = { [R in Route]: "nextCursor" extends keyof ResponseAt<R> ? R : never }[Route];
type ItemAt<R extends Route> = ResponseAt<R> extends Page<infer Item> ? Item : never;

type Input<R extends Route> = {
  /** For the `{placeholders}` of the path. */
  path?: Record<string, string>;
  query?: OperationAt<R>["query"] | undefined;
  body?: OperationAt<R>["body"];
  /** Is sent as a form, instead of a JSON body. */
  upload?: UploadFileBody;
};

/** The same for any route. */
type AnyInput = {
  path?: Record<string, string>;
  query?: object | undefined;
  body?: unknown;
  upload?: UploadFileBody;
};

/**
 * Sends calls by their route. The compiler checks method, path, query, body and response against
 * the OpenAPI document.
 */
export type Caller = {
  call<R extends Route>(
    route: R,
    input?: Input<R>,
    options?: RequestOptions,
  ): ApiPromise<ResponseAt<R>>;
  list<R extends ListRoute>(
    route: R,
    input?: Input<R>,
    options?: RequestOptions,
  ): ListPromise<ItemAt<R>>;
  /** A call of a route that the document may not have. */
  request<Data>(route: string, input: AnyInput, options: RequestOptions): ApiPromise<Data>;
  stream(query?: StreamEventsQuery, options?: StreamOptions): AsyncGenerator<WebhookEvent, never>;
};

export function callerOf(settings: Settings): Caller {
  async function request<Data>(
    route: string,
    input: AnyInput,
    options: RequestOptions,
  ): Promise<ApiResult<Data>> {
    return send<Data>(settings, await toOutgoing(route, input, options), options);
  }
  return {
    call: (route, input = {}, options = {}) => toApiPromise(request(route, input, options)),
    list: (route, input = {}, options = {}) =>
      toListPromise(({ cursor, limit }) => {
        const query = { ...(limit && { limit }), ...input.query, ...(cursor && { cursor }) };
        return request(route, { ...input, query }, options);
      }),
    request: (route, input, options) => toApiPromise(request(route, input, options)),
    stream: (query = {}, options = {}) => followStream(settings, query, options),
  };
}

async function toOutgoing(
  route: string,
  { path, query, body, upload }: AnyInput,
  options: RequestOptions,
): Promise<Outgoing> {
  // Only at the first space: a path of `request` may have more.
  const [, method = "", template = ""] = /^(\S+) (.*)$/s.exec(route) ?? [];
  const target = {
    method,
    path: `/v1/public${fillPath(template, path)}${toSearch(query)}`,
    ...ifMatchOf(method, options),
  };
  if (method === "GET") return target;
  const { idempotencyKey = crypto.randomUUID(), signal } = options;
  if (upload) {
    // Only programs that upload files load this module. `fetch` sets the form's media type, which
    // contains the boundary.
    const { toForm } = await import("./upload");
    return { ...target, body: await toForm(upload, signal), idempotencyKey };
  }
  if (body === undefined) return { ...target, idempotencyKey };
  return { ...target, body: JSON.stringify(body), contentType: "application/json", idempotencyKey };
}

/** @throws ParlanceError where the change would be made whatever the version */
function ifMatchOf(method: string, { ifMatch }: RequestOptions): { ifMatch?: string } {
  if (ifMatch === undefined) return {};
  if (ifMatch === null)
    throw new ParlanceError("ifMatch must be an ETag, and not null: that response had none.");
  if (method === "GET" || method === "POST")
    throw new ParlanceError("ifMatch is an option of update, upsert and delete only.");
  return { ifMatch };
}
