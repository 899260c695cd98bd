import {
  type ApiPromise,
  type ListPromise,
  type Page,
  toApiPromise,
  toListPromise,
} from "./answers";
import type { Operations } from "./generated/types";
import {
  type Answer,
  fillPath,
  type Outgoing,
  type RequestOptions,
  type Settings,
  send,
  toSearch,
} from "./transport";

type Route = Operations[keyof Operations]["route"];
type OperationAt<R extends Route> = Extract<Operations[keyof Operations], { route: R }>;
type AnswerAt<R extends Route> = OperationAt<R>["answer"];

/** A list that comes in pages; some are answered whole. */
type ListRoute = { [R in Route]: "nextCursor" extends keyof AnswerAt<R> ? R : never }[Route];
type ItemAt<R extends Route> = AnswerAt<R> extends Page<infer Item> ? Item : never;

type Input<R extends Route> = {
  /** For the `{placeholders}` of the path. */
  path?: Record<string, string>;
  query?: OperationAt<R>["query"] | undefined;
  body?: OperationAt<R>["body"];
  /** Makes the form that is sent in place of a JSON body. */
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
 * Makes calls by their route. Method, path, query, body and answer are held to the API's document
 * by the compiler.
 */
export type Caller = {
  call<R extends Route>(
    route: R,
    input?: Input<R>,
    options?: RequestOptions,
  ): ApiPromise<AnswerAt<R>>;
  list<R extends ListRoute>(
    route: R,
    input?: Input<R>,
    options?: RequestOptions,
  ): ListPromise<ItemAt<R>>;
};

export function callerOf(settings: Settings): Caller {
  async function request<Data>(
    route: Route,
    input: AnyInput,
    options: RequestOptions,
  ): Promise<Answer<Data>> {
    return send<Data>(settings, await toOutgoing(route, input, options), options);
  }
  return {
    call: (route, input = {}, options = {}) => toApiPromise(request(route, input, options)),
    list: (route, input = {}, options = {}) =>
      toListPromise(({ cursor, limit }) => {
        const query = { ...(limit && { limit }), ...input.query, ...(cursor && { cursor }) };
        return request(route, { ...input, query }, options);
      }),
  };
}

async function toOutgoing(
  route: Route,
  { path, query, body, form }: AnyInput,
  options: RequestOptions,
): Promise<Outgoing> {
  const [method = "", template = ""] = route.split(" ");
  const target = { method, path: `/v1/public${fillPath(template, path)}${toSearch(query)}` };
  if (method === "GET") return target;
  const { idempotencyKey = crypto.randomUUID() } = options;
  // Its media type holds the boundary, which fetch chooses.
  if (form) return { ...target, body: await form(), idempotencyKey };
  if (body === undefined) return { ...target, idempotencyKey };
  return { ...target, body: JSON.stringify(body), contentType: "application/json", idempotencyKey };
}
