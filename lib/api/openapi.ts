import type { z } from "zod";
import { scopes } from "@/lib/api-keys/scopes";
import { env } from "@/lib/platform/env";
import { type ErrorKind, errorKinds } from "@/lib/platform/errors";
import {
  type ApiOperation,
  type ApiResponse,
  type Example,
  type Header,
  type MediaType,
  type OpenApiDocument,
  type Parameter,
  type Reference,
  resolveSchema,
} from "@/lib/platform/openapi";
import { partsOf } from "@/lib/resources/registry";
import type { Deprecation } from "./deprecation";
import { returnsVersion } from "./encode";
import { anyEvent, eventOperations } from "./openapi-events";
import { exampleOf } from "./openapi-example";
import { deprecationHeaders, operationHeaders, rateLimitHeaders } from "./openapi-headers";
import { schemaCollector } from "./openapi-schemas";
import type { Declaration } from "./operation";
import { problemExample, problemExplanations } from "./problem-explanations";
import { problem } from "./problem-schema";
import type { Upload } from "./read-upload";
import { type Method, routes } from "./routes";

type Collector = ReturnType<typeof schemaCollector>;

const descriptionOfApi = `Conversations over HTTP and JSON, with reliable webhooks.

Every request carries \`Authorization: Bearer <key>\`. A key belongs to the live or the test environment and has a list of scopes. Each operation names the scope that it needs.

Lists are paginated, newest first: send \`nextCursor\` as \`cursor\` until a page has none. Every change accepts an \`Idempotency-Key\`, and is then made once even if the request is sent several times within 24 hours. Errors are \`application/problem+json\`, and the \`type\` of each is the URL of a page that explains it.

Within v1, responses may gain fields and enums may gain values. Requests are checked strictly.`;

type Options = {
  /** The URL of the API, without a trailing slash. */
  serverUrl: string;
  /** The prefix of every problem's `type`, which is `{errorBase}/errors/<kind>`. */
  errorBase: string;
};

// Without this, the methods would be in alphabetical order, like the exports of a module.
const methodOrder = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const satisfies Method[];

/** The OpenAPI document, made from what the route files declare and from nothing else. */
export function openApiDocument({ serverUrl, errorBase }: Options): OpenApiDocument {
  const collector = schemaCollector();
  collector.referenceTo("Problem", problem, "output");
  const paths: OpenApiDocument["paths"] = {};
  for (const [path, methods] of Object.entries(routes)) {
    const described = methodOrder.flatMap((method) => {
      const operation = methods[method];
      return operation
        ? [
            [
              method.toLowerCase(),
              describeOperation(collector, path, method, operation.declaration),
            ],
          ]
        : [];
    });
    paths[path] = Object.fromEntries(described);
  }
  const webhooks = eventOperations(collector);
  const schemas = { ...collector.schemas, Event: anyEvent() };

  return {
    openapi: "3.1.1",
    info: {
      title: "Parlance API",
      version: "1.0.0",
      summary: "Conversations, customers, agents, knowledge bases and webhooks of one account.",
      description: descriptionOfApi,
      contact: { name: "Parlance", url: `${serverUrl}/docs` },
    },
    servers: [
      {
        url: serverUrl,
        description: "This installation. The API key determines the environment, live or test.",
      },
    ],
    externalDocs: { description: "Guides", url: `${serverUrl}/docs` },
    security: [{ apiKey: [] }],
    tags: [
      ...partsOf("api").flatMap(({ tag }) => (tag ? [tag] : [])),
      {
        name: "Deliveries",
        description:
          "The requests that your own server receives. Each delivery is signed, and retried up to seven times until your server responds with a 2xx.",
      },
    ],
    paths,
    webhooks,
    components: {
      securitySchemes: {
        apiKey: {
          type: "http",
          scheme: "bearer",
          description: `An API key from the dashboard. Each operation needs one of its scopes: ${scopes.map((scope) => `\`${scope}\``).join(", ")}.`,
        },
      },
      parameters: {
        IdempotencyKey: idempotencyKey,
        IfMatch: ifMatch,
        IfNoneMatch: ifNoneMatch,
        LastEventId: lastEventId,
      },
      headers: { ...operationHeaders, ...rateLimitHeaders },
      examples: problemExamples(paths, errorBase),
      schemas: Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1))),
    },
  };
}

let published: OpenApiDocument | undefined;

/** The document of this installation. */
export function publishedDocument(): OpenApiDocument {
  const { APP_URL: serverUrl, ERROR_BASE: errorBase } = env();
  published ??= openApiDocument({ serverUrl, errorBase });
  return published;
}

let generic: OpenApiDocument | undefined;

/**
 * The document with placeholders for the addresses of an installation. The pages of the
 * documentation are made from it, and so is the index of their search, which the build writes
 * without any environment.
 */
export function genericDocument(): OpenApiDocument {
  generic ??= openApiDocument({ serverUrl: "%ORIGIN%", errorBase: "%ERROR_BASE%" });
  return generic;
}

/** The tag of the noun that the path starts with. */
function tagOf(path: string): string {
  const segment = path.split("/")[3] ?? "";
  const noun = partsOf("api").find((api) =>
    [api.path, ...(api.otherPaths ?? [])].includes(segment),
  );
  if (!noun?.tag) throw new Error(`lib/resources/registry.ts has no tag for the path ${path}`);
  return noun.tag.name;
}

const idempotencyKey: Parameter = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "Makes the change once, even if the request is sent several times within 24 hours: the same key with the same request gets the first response, byte for byte. Use a UUID.",
  schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[\\x20-\\x7e]+$" },
  example: "0f9f8a52-9f0e-4c39-a7f8-6d4d6c1b6f27",
};

const ifMatch: Parameter = {
  name: "If-Match",
  in: "header",
  required: false,
  description:
    "The `ETag` of the version that you have read, or `*` for any. If the resource is another version by now, or does not exist, the response is 412 and nothing changes.",
  schema: { type: "string", minLength: 1, maxLength: 1_000, pattern: "^[\\x20-\\x7e]+$" },
  example: '"Zr0dF1yQvN3H8kWmJ5xT2cLb7Pa"',
};

const ifNoneMatch: Parameter = {
  name: "If-None-Match",
  in: "header",
  required: false,
  description:
    "The `ETag` of a response you have stored. While the resource is unchanged, the response is 304 without a body.",
  schema: { type: "string", minLength: 1, maxLength: 1_000, pattern: "^[\\x20-\\x7e]+$" },
  example: '"Zr0dF1yQvN3H8kWmJ5xT2cLb7Pa"',
};

const lastEventId: Parameter = {
  name: "Last-Event-ID",
  in: "header",
  required: false,
  description:
    "The last `id` that the stream sent. The new stream continues after it. Clients for server-sent events send this header when they reconnect.",
  schema: {
    type: "string",
    pattern: "^(evt_[0-7][0-9A-HJKMNP-TV-Z]{25}|start)?$",
    maxLength: 30,
  },
  example: "evt_01KG9P5Y41S6B3M8X2F7Z9D4KC",
};

function describeOperation(
  collector: Collector,
  path: string,
  method: Method,
  declaration: Declaration,
): ApiOperation {
  const { operationId, summary, scope, deprecated, status = 200, statusIfNew } = declaration;
  const description = [
    ...(deprecated ? [deprecationNote(deprecated)] : []),
    ...(declaration.description ? [declaration.description] : []),
    `Needs the scope \`${scope}\`.`,
  ].join("\n\n");
  const isMutation = method !== "GET";
  const isStream = declaration.follow !== undefined;
  const isVersioned = !isStream && returnsVersion(method, declaration);
  const isCacheable = isVersioned && !isMutation;
  const requestBody = bodyOf(collector, declaration);
  const body = collector.referenceTo(responseName(declaration), declaration.response, "output");
  const success: ApiResponse = {
    description: successDescriptions[status],
    headers: {
      ...successHeaders(isMutation),
      ...(deprecated && deprecationHeaders),
      ...(isVersioned && { ETag: header("ETag") }),
    },
    content: {
      // For a stream, `body` is the schema of each event's data.
      [isStream ? "text/event-stream" : "application/json"]: {
        schema: body,
        example: exampleOf(collector.schemas, body),
      },
    },
  };
  const parameters: (Parameter | Reference)[] = [
    ...pathParameters(collector, path, declaration),
    ...queryParameters(collector, declaration),
    ...(isMutation ? [{ $ref: "#/components/parameters/IdempotencyKey" }] : []),
    ...(declaration.versionOf ? [{ $ref: "#/components/parameters/IfMatch" }] : []),
    ...(isCacheable ? [{ $ref: "#/components/parameters/IfNoneMatch" }] : []),
    ...(isStream ? [{ $ref: "#/components/parameters/LastEventId" }] : []),
  ];
  return {
    operationId,
    summary,
    description,
    ...(deprecated && { deprecated: true as const }),
    tags: [tagOf(path)],
    security: [{ apiKey: [] }],
    "x-required-scope": scope,
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody && { requestBody }),
    responses: {
      [status]: success,
      ...(statusIfNew && {
        [statusIfNew]: { ...success, description: successDescriptions[statusIfNew] },
      }),
      ...(isCacheable && { 304: notModified() }),
      ...problemResponses(problemKinds(path, method, declaration)),
    },
  };
}

const deprecationNote = ({ since, sunset, instead }: Deprecation) =>
  `**Deprecated** since ${since}. It may stop working on ${sunset}. ${instead}`;

const notModified = (): ApiResponse => ({
  description: "The resource is still the version that `If-None-Match` names.",
  headers: { ...successHeaders(false), ETag: header("ETag") },
});

const successDescriptions = {
  200: "Success.",
  201: "Created.",
  202: "Accepted. The work is done in the background.",
} as const;

function pathParameters(
  { schemaOf }: Collector,
  path: string,
  { params }: Declaration,
): Parameter[] {
  const { properties = {} } = params ? schemaOf(params, "input") : {};
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => {
    const { description, ...schema } = properties[name] ?? { type: "string" };
    return { name, in: "path", required: true, ...(description && { description }), schema };
  });
}

function queryParameters({ schemaOf, schemas }: Collector, { query }: Declaration): Parameter[] {
  const { properties = {}, required = [] } = query ? schemaOf(query, "input") : {};
  return Object.entries(properties).map(([name, { description: own, ...schema }]) => {
    const description = own ?? resolveSchema(schemas, schema).description;
    return {
      name,
      in: "query",
      required: required.includes(name),
      ...(description && { description }),
      schema,
      // Several values are separated by commas.
      ...(schema.type === "array" && { style: "form" as const, explode: false }),
      // `metadata[plan]=gold`
      ...(schema.type === "object" && { style: "deepObject" as const, explode: true }),
    };
  });
}

function bodyOf(
  collector: Collector,
  { operationId, body, isBodyOptional, upload }: Declaration,
): ApiOperation["requestBody"] {
  if (!body) return undefined;
  const schema = collector.referenceTo(
    `${capitalized(operationId)}Body`,
    upload?.json ?? body,
    "input",
  );
  const json: MediaType = { schema, example: exampleOf(collector.schemas, schema, true) };
  const content: Record<string, MediaType> = upload
    ? { "multipart/form-data": formOf(collector, body, upload) }
    : {};
  return { required: !isBodyOptional, content: { ...content, "application/json": json } };
}

/** A file and, next to it, the fields of the operation's body. */
function formOf(
  { schemaOf }: Collector,
  body: z.ZodType,
  { maximumBytes, jsonFields }: Upload,
): MediaType {
  const fields = schemaOf(body, "input");
  const file = {
    type: "string",
    format: "binary",
    contentMediaType: "application/octet-stream",
    maxLength: maximumBytes,
    description: `The file, at most ${maximumBytes / 1_024 ** 2} MiB.`,
  };
  return {
    schema: {
      ...fields,
      properties: { file, ...fields.properties },
      required: ["file", ...(fields.required ?? [])],
    },
    encoding: Object.fromEntries(
      jsonFields.map((name) => [name, { contentType: "application/json" }]),
    ),
  };
}

/**
 * The name for a response whose schema has none. A page is named after its items, any other
 * response after its operation.
 */
function responseName({ operationId, response }: Declaration): string {
  const { data } = (response as { shape?: { data?: { element?: z.ZodType } } }).shape ?? {};
  const item = data?.element?.meta?.()?.id;
  // Go generators use names that end in Response for their own types.
  return item ? `${item}Page` : `${capitalized(operationId)}Result`;
}

const capitalized = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);

/** Every error of this operation, in the order of the statuses. */
export function problemKinds(
  path: string,
  method: Method,
  { query, body, versionOf, problems = [] }: Declaration,
): ErrorKind[] {
  const hasCursor = Boolean(query && "cursor" in ((query as { shape?: object }).shape ?? {}));
  const kinds = new Set<ErrorKind>([
    "unauthorized",
    "insufficient-scope",
    "ip-not-allowed",
    ...(path.includes("{") ? (["not-found"] as const) : []),
    "malformed-request",
    ...(method === "GET" ? [] : (["request-timeout", "payload-too-large"] as const)),
    ...(body ? (["unsupported-media-type"] as const) : []),
    ...(method === "GET"
      ? []
      : ([
          "invalid-idempotency-key",
          "idempotency-in-progress",
          "idempotency-key-reused",
          "gone",
        ] as const)),
    ...(versionOf ? (["precondition-failed"] as const) : []),
    "validation",
    ...(hasCursor ? (["invalid-cursor"] as const) : []),
    "rate-limited",
    "internal",
    "unavailable",
    ...problems,
  ]);
  return (Object.keys(errorKinds) as ErrorKind[]).filter((kind) => kinds.has(kind));
}

function problemResponses(kinds: ErrorKind[]): Record<string, ApiResponse> {
  const statuses = [...new Set(kinds.map((kind) => errorKinds[kind].status))];
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      problemResponse(
        status,
        kinds.filter((kind) => errorKinds[kind].status === status),
      ),
    ]),
  );
}

function problemResponse(status: number, kinds: ErrorKind[]): ApiResponse {
  return {
    description: kinds.map((kind) => `\`${kind}\`: ${problemExplanations[kind].what}`).join("\n\n"),
    headers: problemHeaders(status, kinds),
    content: {
      "application/problem+json": {
        schema: { $ref: "#/components/schemas/Problem" },
        examples: Object.fromEntries(
          kinds.map((kind) => [kind, { $ref: `#/components/examples/${kind}` }]),
        ),
      },
    },
    "x-problem-kinds": kinds,
  };
}

const header = (name: string): Reference => ({ $ref: `#/components/headers/${name}` });
const allRateLimitHeaders = () =>
  Object.fromEntries(Object.keys(rateLimitHeaders).map((name) => [name, header(name)]));

function successHeaders(isMutation: boolean): Record<string, Reference> {
  return {
    "X-Request-Id": header("X-Request-Id"),
    ...allRateLimitHeaders(),
    ...(isMutation && { "Idempotent-Replayed": header("Idempotent-Replayed") }),
  };
}

/** Requests that are refused before the rate limit have no rate-limit headers. */
function problemHeaders(status: number, kinds: ErrorKind[]): Record<string, Header | Reference> {
  const optional = Object.entries(rateLimitHeaders).map(([name, header]) => [
    name,
    { ...header, required: false },
  ]);
  const limit =
    status === 401
      ? {}
      : [403, 429].includes(status) || status >= 500
        ? Object.fromEntries(optional)
        : allRateLimitHeaders();
  const isReplayable = [404, 409, 410].includes(status);
  return {
    "X-Request-Id": header("X-Request-Id"),
    ...limit,
    ...(status === 401 && { "WWW-Authenticate": header("WWW-Authenticate") }),
    ...([429, 503].includes(status) && { "Retry-After": header("Retry-After") }),
    ...(kinds.includes("idempotency-in-progress") && {
      "Retry-After": { ...operationHeaders["Retry-After"], required: false },
    }),
    ...(isReplayable &&
      kinds.includes("idempotency-in-progress") && {
        "Idempotent-Replayed": header("Idempotent-Replayed"),
      }),
  };
}

/** An example of every kind that an operation names. */
function problemExamples(
  paths: OpenApiDocument["paths"],
  errorBase: string,
): Record<string, Example> {
  const responses = Object.values(paths).flatMap((methods) =>
    Object.values(methods).flatMap(({ responses }) => Object.values(responses)),
  );
  const used = new Set(responses.flatMap((response) => response["x-problem-kinds"] ?? []));
  const kinds = (Object.keys(errorKinds) as ErrorKind[]).filter((kind) => used.has(kind));
  return Object.fromEntries(
    kinds.map((kind) => {
      const { what: summary, howToFix } = problemExplanations[kind];
      return [
        kind,
        { summary, description: howToFix.join("\n\n"), value: problemExample(kind, errorBase) },
      ];
    }),
  );
}
