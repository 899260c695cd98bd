import {
  type CallToolResult,
  createMcpHandler,
  localhostAllowedOrigins,
  originValidationResponse,
  ProtocolError,
  ProtocolErrorCode,
  Server,
} from "@modelcontextprotocol/server";
import type { KnownKey } from "@/lib/api-keys/key-cache";
import { clientAddress } from "@/lib/platform/client-address";
import { env } from "@/lib/platform/env";
import { AppError, methodNotAllowed } from "@/lib/platform/errors";
import { log } from "@/lib/platform/log";
import { newId } from "@/lib/resources/ids";
import { authenticate, requireAllowedAddress } from "./authenticate";
import { maximumDepth } from "./find-unacceptable";
import { forward } from "./forward";
import { type ToolOperation, toolOperations } from "./mcp-tools";
import { type Outgoing, respond } from "./pipeline";
import { toProblem } from "./problem";
import {
  addRateLimitHeaders,
  limitedRequests,
  limitKey,
  rateLimited,
  type Taken,
} from "./rate-limit";
import { type ApiRequest, readJsonBody } from "./read-request";

// The Model Context Protocol over streamable HTTP: the operations of the API as tools for agents.
// Each call of a tool is a request through the pipeline of the API, so it has the same scopes, rate
// limit, idempotency and request log. There are no sessions: any process can serve any message.
// Loaded with the first request to /mcp, because the package is large.

/** The query parameter of `/mcp` that adds the tools that change data. */
const writeParameter = "write";

type Connection = {
  request: ApiRequest;
  key: KnownKey;
  allowsChanges: boolean;
  taken: Taken;
};

export async function respondToMcp(request: ApiRequest): Promise<Outgoing> {
  const headers: Record<string, string> = {
    "X-Request-Id": newId("request"),
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
  };
  try {
    const response = await serve(request, headers);
    if (!(response instanceof Response)) return response;
    for (const name of ["content-type", "allow"]) {
      const value = response.headers.get(name);
      if (value) headers[name] = value;
    }
    // A response has a single message, so it can be read to its end.
    return { status: response.status, headers, body: (await response.text()) || null };
  } catch (thrown) {
    const problem = toProblem(thrown, "/mcp", headers["X-Request-Id"] ?? "");
    Object.assign(headers, problem.headers, { "Content-Type": "application/problem+json" });
    return { status: problem.status, headers, body: problem.body };
  }
}

/** A message of an organization that was moved gets the response of the other installation as it is. */
async function serve(
  request: ApiRequest,
  headers: Record<string, string>,
): Promise<Response | Outgoing> {
  // Browsers send `Origin`. Without this check, a page whose host name was pointed at this server
  // could use it (DNS rebinding).
  const forSdk = new Request(request.url, { method: request.method, headers: headersFor(request) });
  const ownOrigins = [new URL(env().APP_URL).hostname, ...localhostAllowedOrigins()];
  const refused = originValidationResponse(forSdk, ownOrigins);
  if (refused) return refused;
  const address = clientAddress(request.headers.get("x-forwarded-for"));
  const key = await authenticate(request, address);
  if (key.movedTo) {
    const wire = { hasRepeatedIdempotencyKey: false };
    return forward(request, key.movedTo, { address, wire });
  }
  await requireAllowedAddress(key, address);
  const allowsChanges = new URL(request.url).searchParams.get(writeParameter) === "true";
  // Counts every message before it is read, so that a key past its limit cannot make us parse more.
  const taken = await limitKey(key);
  addRateLimitHeaders(headers, taken);
  if (!taken.isAllowed) throw rateLimited(taken.binding, limitedRequests[taken.binding.name]);
  return handle({ request, key, allowsChanges, taken }, forSdk);
}

async function handle(connection: Connection, forSdk: Request): Promise<Response> {
  const { request } = connection;
  if (request.method !== "POST") throw methodNotAllowed(["POST"]);
  const message = requireMessage((await readJsonBody(request)).value);
  const handler = createMcpHandler(() => serverFor(connection), {
    onerror: (error) => log.debug({ error: error.message }, "an MCP message was refused"),
  });
  const response = await handler.fetch(forSdk, { parsedBody: message });
  return new Response((await response.text()) || null, response);
}

/** The headers that the protocol knows. */
function headersFor({ headers }: ApiRequest): Headers {
  const copied = new Headers();
  for (const name of [
    "accept",
    "content-type",
    "mcp-method",
    "mcp-name",
    "mcp-protocol-version",
    "origin",
  ]) {
    const value = headers.get(name);
    if (value !== null) copied.set(name, value);
  }
  return copied;
}

function requireMessage(value: unknown): object {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new AppError(
      "malformed-request",
      "Send one JSON-RPC message as a JSON object. Batches are not supported.",
    );
  // The list of tools is the same during a whole connection, and this stream would stay open.
  if ((value as { method?: unknown }).method === "subscriptions/listen")
    throw new AppError("malformed-request", "This server does not support subscriptions.");
  return value;
}

function serverFor(connection: Connection): Server {
  const { key, allowsChanges } = connection;
  const server = new Server(
    { name: "parlance", title: "Parlance", version: "1.0.0" },
    { capabilities: { tools: {} }, instructions: instructionsFor(connection) },
  );
  server.setRequestHandler("tools/list", () => ({
    tools: [...toolOperations().values()]
      .filter(({ changesData, scope }) => (allowsChanges || !changesData) && key.scopes.has(scope))
      .map(({ tool }) => tool),
  }));
  server.setRequestHandler("tools/call", ({ params }) => {
    const operation = toolOperations().get(params.name);
    if (!operation)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${params.name}.`);
    if (operation.changesData && !allowsChanges)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `${params.name} changes data, and this connection is read-only. Connect to /mcp?${writeParameter}=true to allow changes.`,
      );
    const given = params.arguments ?? {};
    // Checked here, because converting arguments to a request needs stack for each level.
    if (isDeeper(given, maximumDepth))
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `The arguments of ${params.name} must be nested at most ${maximumDepth} levels deep.`,
      );
    return callTool(operation, given, connection);
  });
  return server;
}

const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === "object" &&
  value !== null &&
  (levels === 0 || Object.values(value).some((part) => isDeeper(part, levels - 1)));

const instructionsFor = ({ key: { environment }, allowsChanges }: Connection): string =>
  `Conversations, customers, agents, knowledge and webhooks of one organization, in its ${environment} environment. ${
    allowsChanges
      ? "Tools can change data. Pass an idempotencyKey with each change that must happen once."
      : "This connection is read-only."
  } Lists return pages: pass nextCursor as cursor to get the next page. An error says what is wrong and what to do.`;

async function callTool(
  { toRequest }: ToolOperation,
  given: Record<string, unknown>,
  connection: Connection,
): Promise<CallToolResult> {
  const { request, target } = toRequest(given, connection.request.headers);
  const wire = { hasRepeatedIdempotencyKey: false, taken: connection.taken };
  const { status, headers, body } = await respond(request, target, wire);
  const text = String(body);
  return {
    content: [{ type: "text", text }],
    structuredContent: JSON.parse(text),
    ...(status >= 400 && { isError: true }),
    _meta: {
      "parlance/status": status,
      "parlance/requestId": headers["X-Request-Id"],
      ...(headers.ETag && { "parlance/etag": headers.ETag }),
      ...(headers["Idempotent-Replayed"] && { "parlance/isReplay": true }),
    },
  };
}
