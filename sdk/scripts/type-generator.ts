import {
  contentOf,
  nameOf,
  type OpenApiDocument,
  operationsOf,
  reachable,
  type Schema,
} from "./api-document";

/**
 * A value that is sent may be a `Date`, and an optional one may be undefined. A received value is
 * neither.
 */
type Direction = "sent" | "received";

/** The TypeScript of the client's types: schemas, queries, bodies, operations, events. */
export function generateTypes(document: OpenApiDocument): string {
  const operations = operationsOf(document);
  const schemas = document.components?.schemas ?? {};
  const events = Object.values(document.webhooks ?? {}).map(({ post }) =>
    contentOf(post?.requestBody),
  );
  const responses = operations.flatMap(({ response, problems }) => [response, ...problems]);
  const received = reachable(schemas, [...responses, ...events]);
  const sent = reachable(
    schemas,
    operations.flatMap(({ query, body }) => [...(query ? [query] : []), ...(body ? [body] : [])]),
  );
  const direction = (name: string): Direction =>
    sent.has(name) && !received.has(name) ? "sent" : "received";

  const parts = [
    "// Generated from the OpenAPI document by `npm run sdk:types`. Change the API's route declarations instead.",
  ];
  for (const [name, schema] of Object.entries(schemas)) {
    if (sent.has(name) || received.has(name)) parts.push(declare(name, schema, direction(name)));
  }
  for (const { id, query, body } of operations) {
    if (query) parts.push(declare(`${capitalized(id)}Query`, query, "sent"));
    if (body && !body.$ref) parts.push(declare(`${capitalized(id)}Body`, body, "sent"));
  }
  const rows = operations.map(({ id, route, query, body, response }) => {
    const bodyType = body && (body.$ref ? typeOf(body, "sent", "") : `${capitalized(id)}Body`);
    const members = [
      `    route: ${JSON.stringify(route)};`,
      `    query: ${query ? `${capitalized(id)}Query` : "undefined"};`,
      `    body: ${bodyType ?? "undefined"};`,
      `    response: ${typeOf(response, "received", "    ")};`,
    ];
    return `  ${id}: {\n${members.join("\n")}\n  };\n`;
  });
  parts.push(
    `/** Every operation of the API by its operationId. */\nexport type Operations = {\n${rows.join("")}};\n`,
  );
  parts.push(declareEvents(events));
  return parts.join("\n");
}

/**
 * As the type of unknown events, `string` would match every known type, and `type` would no longer
 * tell which event it is. The member of an enum is a string that equals no literal.
 */
const unknownEvent = `declare enum UnknownType {
  Newer = "newer",
}

/** An event of a type that is newer than this package. */
export type UnknownEvent = {
  /** The id of the event. */
  id: string;
  /** What happened, as text such as \`ticket.merged\`. */
  type: UnknownType;
  /** The API version of the object's format. */
  apiVersion: string;
  environment: Environment;
  /** When it happened. */
  timestamp: string;
  /** What the event is about. */
  data: { object: Record<string, unknown>; previousAttributes?: Record<string, unknown> };
  /** The API request that caused the event, or null if none did. */
  request: { id: string; idempotencyKey: string | null } | null;
  /** Content was removed from the event. */
  redacted?: true;
};
`;

function declareEvents(events: Schema[]): string {
  const types = new Set(events.map((event) => typeOf(event, "received", "")));
  const union = [...types, "UnknownEvent"].map((type) => `\n  | ${type}`).join("");
  return `${unknownEvent}
/**
 * Everything that a webhook can be sent. \`type\` tells which. A \`switch\` over all types leaves
 * \`UnknownEvent\`: newer versions of the API can send other types.
 */
export type WebhookEvent =${union};
`;
}

function declare(name: string, schema: Schema, direction: Direction): string {
  return `${comment(schema.description, "")}export type ${name} = ${typeOf(schema, direction, "")};\n`;
}

function typeOf(schema: Schema, direction: Direction, indent: string): string {
  if (schema.$ref) return nameOf({ $ref: schema.$ref });
  if ("const" in schema) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const either = schema.anyOf ?? schema.oneOf;
  if (either)
    return [...new Set(either.map((part) => typeOf(part, direction, indent)))].join(" | ");
  if (schema.allOf)
    return schema.allOf.map((part) => `(${typeOf(part, direction, indent)})`).join(" & ");
  if (Array.isArray(schema.type))
    return schema.type.map((type) => typeOf({ ...schema, type }, direction, indent)).join(" | ");
  switch (schema.type) {
    case "string":
      return schema.format === "date-time" && direction === "sent" ? "string | Date" : "string";
    case "number":
    case "integer":
      return "number";
    case "boolean":
      return "boolean";
    case "null":
      return "null";
    case "array": {
      const item = typeOf(schema.items ?? {}, direction, indent);
      const list = /^[\w.]+$/.test(item) ? `${item}[]` : `(${item})[]`;
      return direction === "sent" ? `readonly ${list}` : list;
    }
    case "object":
      return objectType(schema, direction, indent);
    default:
      return anything(schema);
  }
}

/**
 * Only what says nothing about its values; what it says and this generator does not know must not
 * be lost.
 */
function anything(schema: Schema): string {
  const unknown = Object.keys(schema).filter(
    (keyword) => !["title", "description", "examples", "default", "deprecated"].includes(keyword),
  );
  if (unknown.length > 0)
    throw new Error(`the generator of types does not know ${unknown.join(", ")}`);
  return "unknown";
}

function objectType(
  { properties = {}, required = [], additionalProperties }: Schema,
  direction: Direction,
  indent: string,
): string {
  const names = Object.keys(properties);
  if (names.length === 0) {
    const values =
      typeof additionalProperties === "object"
        ? typeOf(additionalProperties, direction, indent)
        : "unknown";
    return additionalProperties === false ? "Record<string, never>" : `Record<string, ${values}>`;
  }
  const inner = `${indent}  `;
  const members = Object.entries(properties).map(([name, schema]) => {
    const isOptional = !required.includes(name);
    const orUndefined = isOptional && direction === "sent" ? " | undefined" : "";
    const key = /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
    return `${comment(schema.description, inner)}${inner}${key}${isOptional ? "?" : ""}: ${typeOf(schema, direction, inner)}${orUndefined};\n`;
  });
  return `{\n${members.join("")}${indent}}`;
}

function comment(text: string | undefined, indent: string): string {
  if (!text) return "";
  const lines = text.replaceAll("*/", "*\\/").trim().split("\n");
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join("\n")}\n${indent} */\n`;
}

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
