/** As much of JSON Schema 2020-12 as the API's document uses. */
type Schema = {
  $ref?: string;
  type?: string | string[];
  format?: string;
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  contentMediaType?: string;
  description?: string;
};

type Content = Record<string, { schema?: Schema }>;

type Parameter = {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema?: Schema;
};

type Reference = { $ref: string };

type Operation = {
  operationId?: string;
  summary?: string;
  description?: string;
  parameters?: (Parameter | Reference)[];
  requestBody?: { content: Content; required?: boolean };
  responses?: Record<string, { content?: Content }>;
};

/** As much of an OpenAPI 3.1 document as types are made from. */
export type OpenApiDocument = {
  paths?: Record<string, Record<string, Operation>>;
  webhooks?: Record<string, Record<string, Operation>>;
  components?: { schemas?: Record<string, Schema>; parameters?: Record<string, Parameter> };
};

const pathPrefix = "/v1/public";
const methods = ["get", "post", "put", "patch", "delete"];

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

function operationsOf({ paths = {}, components = {} }: OpenApiDocument) {
  return Object.entries(paths).flatMap(([path, item]) => {
    if (!path.startsWith(`${pathPrefix}/`)) return [];
    return methods.flatMap((method) => {
      const operation = item[method];
      if (!operation?.operationId) return [];
      const parameters = (operation.parameters ?? []).flatMap((parameter) => {
        if (!("$ref" in parameter)) return parameter;
        return components.parameters?.[nameOf(parameter)] ?? [];
      });
      const success = Object.entries(operation.responses ?? {}).find(([status]) =>
        status.startsWith("2"),
      )?.[1];
      return {
        id: operation.operationId,
        route: `${method.toUpperCase()} ${path.slice(pathPrefix.length)}`,
        query: toQuery(parameters.filter((parameter) => parameter.in === "query")),
        body: operation.requestBody && contentOf(operation.requestBody),
        response: contentOf(success),
        problems: Object.values(operation.responses ?? {}).flatMap(
          ({ content }) => content?.["application/problem+json"]?.schema ?? [],
        ),
      };
    });
  });
}

const nameOf = ({ $ref }: Reference): string => $ref.split("/").at(-1) ?? "";

/** A form is put together by the client; its type is that of the JSON form. */
const contentOf = (holder: { content?: Content } | undefined): Schema =>
  holder?.content?.["application/json"]?.schema ?? {};

function toQuery(parameters: Parameter[]): Schema | undefined {
  if (parameters.length === 0) return undefined;
  const entries = parameters.map(({ name, schema = {}, description }) => {
    // A list may be given as one, or as the text that it becomes.
    const listed = schema.type === "array" ? { anyOf: [schema, schema.items ?? {}] } : schema;
    return [name, { ...listed, ...(description && { description }) }] as const;
  });
  const required = parameters.filter((parameter) => parameter.required).map(({ name }) => name);
  return { type: "object", properties: Object.fromEntries(entries), required };
}

function declareEvents(events: Schema[]): string {
  const types = new Set(events.map((event) => typeOf(event, "received", "")));
  const union = [...types].map((type) => `\n  | ${type}`).join("");
  return `/** Everything that a webhook can be sent; \`type\` tells which. */\nexport type WebhookEvent =${union};\n`;
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

/** The names of all schemas that these lead to. */
function reachable(schemas: Record<string, Schema>, roots: Schema[]): Set<string> {
  const found = new Set<string>();
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    for (const [key, part] of Object.entries(value)) {
      const name = key === "$ref" && typeof part === "string" ? part.split("/").at(-1) : undefined;
      if (name === undefined) visit(part);
      else if (!found.has(name)) {
        found.add(name);
        visit(schemas[name]);
      }
    }
  };
  for (const root of roots) visit(root);
  return found;
}

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
