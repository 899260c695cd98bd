import type { z } from "zod";
import { scopes } from "@/lib/api-keys/scopes";
import { env } from "@/lib/platform/env";
import type {
  ApiOperation,
  ApiResponse,
  MediaType,
  OpenApiDocument,
  Parameter,
  Reference,
} from "@/lib/platform/openapi";
import { partsOf } from "@/lib/resources/registry";
import type { Deprecation } from "./deprecation";
import { returnsVersion } from "./encode";
import { anyEvent, eventOperations } from "./openapi-events";
import { exampleOf } from "./openapi-example";
import { deprecationHeaders, operationHeaders, rateLimitHeaders } from "./openapi-headers";
import {
  idempotencyKey,
  ifMatch,
  ifNoneMatch,
  lastEventId,
  pathParameters,
  queryParameters,
} from "./openapi-parameters";
import {
  header,
  problemExamples,
  problemKinds,
  problemResponses,
  successHeaders,
} from "./openapi-problems";
import { type Collector, schemaCollector } from "./openapi-schemas";
import type { Declaration } from "./operation";
import { problem } from "./problem-schema";
import type { Upload } from "./read-upload";
import { type Method, routes } from "./routes";

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
