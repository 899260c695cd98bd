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
  /** Creates the form that is sent instead of a JSON body. */
  form?: () => Promise<FormData>;
};

/** The same for any route. */
type AnyInput = {
  path?: Record<string, string>;
  query?: object | undefined;
  body?: unknown;
  form?: () => Promise<FormData>;
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
  stream(query?: StreamEventsQuery, options?: StreamOptions): AsyncGenerator<WebhookEvent, never>;
};

export function callerOf(settings: Settings): Caller {
  async function request<Data>(
    route: Route,
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
    stream: (query = {}, options = {}) => followStream(settings, query, options),
  };
}

async function toOutgoing(
  route: Route,
  { path, query, body, form }: AnyInput,
  options: RequestOptions,
): Promise<Outgoing> {
  const [method = "", template = ""] = route.split(" ");
  const target = {
    method,
    path: `/v1/public${fillPath(template, path)}${toSearch(query)}`,
    ...ifMatchOf(method, options),
  };
  if (method === "GET") return target;
  const { idempotencyKey = crypto.randomUUID() } = options;
  // `fetch` sets its media type, which contains the boundary.
  if (form) return { ...target, body: await form(), idempotencyKey };
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
