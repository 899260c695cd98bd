import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { openApiDocument } from "@/lib/api/openapi";
import type {
  ApiOperation,
  ApiResponse,
  Header,
  JsonSchema,
  MediaType,
  OpenApiDocument,
  Reference,
} from "@/lib/platform/openapi";

// The published document, and a copy that is stricter in one respect: responses may not have
// fields without a description. Clients must accept new fields, but in our tests the document must describe
// each one first.
let prepared: ReturnType<typeof prepare> | undefined;

type Endpoint = { pattern: RegExp; path: string; methods: Record<string, ApiOperation> };

function prepare() {
  const document = openApiDocument({
    serverUrl: "http://localhost:3000",
    errorBase: "http://localhost:3000/docs",
  });
  const ajv = new Ajv2020({ strict: false, allErrors: true, coerceTypes: false });
  formats.default(ajv);
  ajv.addSchema({ $id: "document", components: { schemas: strict(document.components.schemas) } });
  const endpoints = Object.entries(document.paths).map(
    ([path, methods]): Endpoint => ({
      path,
      methods,
      pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`),
    }),
  );
  // As in the server, a literal segment goes before a parameter.
  endpoints.sort((a, b) => a.path.split("{").length - b.path.split("{").length);
  return { document, ajv, endpoints, compiled: new Map<JsonSchema | Header, ValidateFunction>() };
}

function strict<Part>(part: Part): Part {
  if (Array.isArray(part)) return part.map(strict) as Part;
  if (part === null || typeof part !== "object") return part;
  const copy = Object.fromEntries(
    Object.entries(part).map(([name, value]) => [name, strict(value)]),
  ) as Record<string, unknown>;
  if ("properties" in copy && copy.type === "object" && !("additionalProperties" in copy))
    copy.additionalProperties = false;
  return copy as Part;
}

type Exchange = {
  method: string;
  path: string;
  requestBody: unknown;
  status: number;
  headers: Headers;
  body: unknown;
};

/** @throws Error that says how the response differs from the OpenAPI document */
export function requireDescribed(exchange: Exchange): void {
  prepared ??= prepare();
  const { document, endpoints } = prepared;
  const { method, path, status } = exchange;
  const findings: string[] = [];
  const endpoint = endpoints.find(({ pattern }) => pattern.test(path));
  const operation = endpoint?.methods[method === "HEAD" ? "get" : method.toLowerCase()];

  if (!operation)
    findings.push(...check({ $ref: "#/components/schemas/Problem" }, exchange.body, "the body"));
  else {
    const response = operation.responses[String(status)];
    if (!response)
      findings.push(`the document knows no status ${status} of ${operation.operationId}`);
    else findings.push(...responseFindings(document, operation, response, exchange));
    if (status < 300) findings.push(...requestFindings(operation, exchange.requestBody));
  }
  if (findings.length === 0) return;
  const what = `${method} ${path} → ${status} differs from the OpenAPI document:`;
  throw new Error(
    `${what}\n  ${findings.join("\n  ")}\n${JSON.stringify(exchange.body)?.slice(0, 2_000)}`,
  );
}

function responseFindings(
  document: OpenApiDocument,
  operation: ApiOperation,
  response: ApiResponse,
  exchange: Exchange,
): string[] {
  const { status, headers, body, method } = exchange;
  const findings: string[] = [];
  for (const [name, described] of Object.entries(response.headers ?? {})) {
    findings.push(...headerFindings(name, resolveHeader(document, described), headers.get(name)));
  }
  if (!response.content) return findings;
  const type = headers.get("content-type");
  const media: MediaType | undefined = response.content[type ?? ""];
  if (!media)
    return [...findings, `the content type is ${type}, not ${Object.keys(response.content)}`];
  if (method !== "HEAD") findings.push(...check(media.schema, body, "the body"));

  if (status >= 400) {
    const kind = String((body as { type?: string } | undefined)?.type).split("/errors/")[1] ?? "";
    const isKnown = method === "HEAD" || response["x-problem-kinds"]?.includes(kind);
    if (!isKnown)
      findings.push(`add "${kind}" to \`problems\` of ${operation.operationId} in its route file`);
  }
  return findings;
}

const resolveHeader = ({ components }: OpenApiDocument, described: Header | Reference): Header =>
  "$ref" in described
    ? (components.headers[described.$ref.split("/").at(-1) ?? ""] as Header)
    : described;

function headerFindings(
  name: string,
  { required, schema }: Header,
  value: string | null,
): string[] {
  if (value === null) return required ? [`the header ${name} is missing`] : [];
  return check(schema, schema.type === "integer" ? Number(value) : value, `the header ${name}`);
}

/** The document must allow every accepted body. */
function requestFindings({ requestBody }: ApiOperation, body: unknown): string[] {
  const schema = requestBody?.content["application/json"]?.schema;
  if (!schema || typeof body !== "string" || body === "") return [];
  return check(schema, JSON.parse(body), "the request's body");
}

function check(schema: JsonSchema, value: unknown, what: string): string[] {
  prepared ??= prepare();
  const { ajv, compiled } = prepared;
  const known = compiled.get(schema);
  const validate =
    known ?? ajv.compile(schema.$ref ? { $ref: `document${schema.$ref}` } : strict(schema));
  if (!known) compiled.set(schema, validate);
  if (validate(value)) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) =>
      `${what}${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}
