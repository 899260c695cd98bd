import type { Scope } from "@/lib/api-keys/scopes";
import { type JsonSchema, resolveSchema } from "@/lib/platform/openapi";
import { schemaCollector } from "./openapi-schemas";
import type { Declaration } from "./operation";
import type { Target } from "./pipeline";
import type { ApiRequest } from "./read-request";
import { type Method, routes } from "./routes";

/** An operation of the API as a tool of the Model Context Protocol. */
export type McpTool = {
  name: string;
  title: string;
  description: string;
  inputSchema: JsonSchema & { type: "object" };
  annotations: {
    readOnlyHint: boolean;
    destructiveHint: boolean;
    idempotentHint: boolean;
    openWorldHint: false;
  };
};

export type ToolOperation = {
  tool: McpTool;
  scope: Scope;
  changesData: boolean;
  /** Converts a call of the tool to a request of its own. `carrier` has the headers of the call. */
  toRequest: (given: Record<string, unknown>, carrier: Pick<Headers, "get">) => ToolRequest;
};

/**
 * `target` names the operation, instead of finding it by the path: an id such as `stream` must not
 * lead to another operation.
 */
type ToolRequest = { request: ApiRequest; target: Target };

let operations: ReadonlyMap<string, ToolOperation> | undefined;

/** Every operation by the name of its tool, which is its `operationId`. */
export function toolOperations(): ReadonlyMap<string, ToolOperation> {
  operations ??= toToolOperations();
  return operations;
}

function toToolOperations(): ReadonlyMap<string, ToolOperation> {
  const described = new Map<string, ToolOperation>();
  for (const [path, methods] of Object.entries(routes)) {
    for (const [method, operation] of Object.entries(methods)) {
      const { declaration } = operation;
      // A stream has no end, and a tool has one result.
      if (!declaration.follow)
        described.set(
          declaration.operationId,
          toToolOperation(path, method as Method, declaration),
        );
    }
  }
  return described;
}

/** The arguments that become headers of a change. */
const headerArguments = {
  idempotencyKey: {
    type: "string",
    maxLength: 255,
    description:
      "Makes the change once, even if the tool is called several times with this key within 24 hours.",
  },
  ifMatch: {
    type: "string",
    maxLength: 1_000,
    description:
      "The `etag` of the version that you have read. If the resource has changed since, the call fails.",
  },
} satisfies Record<string, JsonSchema>;

const headerNames = { idempotencyKey: "idempotency-key", ifMatch: "if-match" };

function toToolOperation(path: string, method: Method, declaration: Declaration): ToolOperation {
  const { operationId, summary, description, scope, upload } = declaration;
  const schemaOf = selfContained();
  const parameters = declaration.params ? schemaOf(declaration.params) : {};
  const query = declaration.query ? schemaOf(declaration.query) : {};
  // A tool cannot pass a file, but it can pass its text.
  const sent = upload?.json ?? declaration.body;
  const body = sent ? schemaOf(sent) : null;
  const changesData = method !== "GET" && !declaration.changesNothing;
  const { idempotencyKey, ifMatch } = headerArguments;
  const properties = {
    ...body?.properties,
    ...query.properties,
    ...parameters.properties,
    ...(changesData && { idempotencyKey }),
    ...(declaration.versionOf && { ifMatch }),
  };
  const required = [parameters, query, body].flatMap((part) => part?.required ?? []);
  const queryNames = Object.keys(query.properties ?? {});

  return {
    scope,
    changesData,
    tool: {
      name: operationId,
      title: summary,
      description: description ? `${summary}.\n\n${description}` : `${summary}.`,
      inputSchema: { type: "object", properties, required, additionalProperties: false },
      annotations: {
        readOnlyHint: !changesData,
        destructiveHint: method === "DELETE" || operationId.startsWith("erase"),
        idempotentHint: !changesData || method === "PUT" || method === "DELETE",
        openWorldHint: false,
      },
    },
    toRequest: (given, carrier) =>
      toRequest(
        { declaration, path, method, properties, queryNames, hasBody: body !== null },
        given,
        carrier,
      ),
  };
}

type Shape = {
  declaration: Declaration;
  path: string;
  method: Method;
  properties: Record<string, JsonSchema>;
  queryNames: string[];
  hasBody: boolean;
};

function toRequest(
  { declaration, path, method, properties, queryNames, hasBody }: Shape,
  given: Record<string, unknown>,
  carrier: Pick<Headers, "get">,
): ToolRequest {
  const rest = { ...given };
  const take = (name: string): unknown => {
    const value = rest[name];
    delete rest[name];
    return value;
  };
  const headers = new Map([["user-agent", `MCP ${carrier.get("user-agent") ?? ""}`.trim()]]);
  for (const name of ["authorization", "x-forwarded-for"]) {
    const value = carrier.get(name);
    if (value !== null) headers.set(name, value);
  }
  for (const [name, header] of Object.entries(headerNames)) {
    const value = name in properties ? take(name) : undefined;
    if (value !== undefined) headers.set(header, textOf(value));
  }
  const params: Record<string, string> = {};
  const filled = path.replace(/\{(\w+)\}/g, (_placeholder, name: string) => {
    params[name] = textOf(take(name) ?? "").toWellFormed();
    return encodeURIComponent(params[name]);
  });
  // Unknown arguments are passed on too, so that the response names them.
  const names = hasBody ? queryNames : Object.keys(rest);
  const search = toSearch(Object.fromEntries(names.map((name) => [name, take(name)])));
  const bytes = Buffer.from(hasBody ? JSON.stringify(rest) : "");
  headers.set("content-length", String(bytes.length));
  if (hasBody) headers.set("content-type", "application/json");
  const request: ApiRequest = {
    method,
    url: `http://localhost${filled}${search}`,
    headers: { get: (name) => headers.get(name) ?? null, has: (name) => headers.has(name) },
    body: null,
    arrayBuffer: async () => bytes,
  };
  return { request, target: { declaration, params } };
}

/** `String` fails for an object with a field `toString`. */
const textOf = (value: unknown): string =>
  typeof value === "object" ? JSON.stringify(value) : String(value);

/** A list becomes its items, separated by commas. An object becomes a `name[field]` per field. */
function toSearch(query: Record<string, unknown>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null) continue;
    if (typeof value === "object" && !Array.isArray(value))
      for (const [field, part] of Object.entries(value))
        search.set(`${name}[${field}]`, textOf(part));
    else search.set(name, Array.isArray(value) ? value.map(textOf).join() : textOf(value));
  }
  return search.size > 0 ? `?${search}` : "";
}

/** Converts a schema without references, which many clients do not resolve. */
function selfContained() {
  const collector = schemaCollector();
  const inline = (schema: JsonSchema): JsonSchema => {
    const resolved = { ...resolveSchema(collector.schemas, schema) };
    for (const keyword of ["anyOf", "oneOf", "allOf"] as const)
      if (resolved[keyword]) resolved[keyword] = resolved[keyword].map(inline);
    if (resolved.items) resolved.items = inline(resolved.items);
    if (typeof resolved.additionalProperties === "object")
      resolved.additionalProperties = inline(resolved.additionalProperties);
    if (resolved.properties)
      resolved.properties = Object.fromEntries(
        Object.entries(resolved.properties).map(([name, part]) => [name, inline(part)]),
      );
    return resolved;
  };
  return (schema: Parameters<typeof collector.schemaOf>[0]): JsonSchema =>
    inline(collector.schemaOf(schema, "input"));
}
