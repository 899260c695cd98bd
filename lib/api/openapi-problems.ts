import { type ErrorKind, errorKinds } from "@/lib/platform/errors";
import type {
  ApiResponse,
  Example,
  Header,
  OpenApiDocument,
  Reference,
} from "@/lib/platform/openapi";
import { operationHeaders, rateLimitHeaders } from "./openapi-headers";
import type { Declaration } from "./operation";
import { problemExample, problemExplanations } from "./problem-explanations";
import type { Method } from "./routes";

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

export function problemResponses(kinds: ErrorKind[]): Record<string, ApiResponse> {
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

export const header = (name: string): Reference => ({ $ref: `#/components/headers/${name}` });

const allRateLimitHeaders = () =>
  Object.fromEntries(Object.keys(rateLimitHeaders).map((name) => [name, header(name)]));

export function successHeaders(isMutation: boolean): Record<string, Reference> {
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
export function problemExamples(
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
