/** As much of JSON Schema 2020-12 as the API's document uses. */
export type Schema = {
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

export type Parameter = {
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

/** As much of an OpenAPI 3.1 document as the clients are made from. */
export type OpenApiDocument = {
  paths?: Record<string, Record<string, Operation>>;
  webhooks?: Record<string, Record<string, Operation>>;
  components?: { schemas?: Record<string, Schema>; parameters?: Record<string, Parameter> };
};

const pathPrefix = "/v1/public";
const methods = ["get", "post", "put", "patch", "delete"];

export function operationsOf({ paths = {}, components = {} }: OpenApiDocument) {
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
        summary: operation.summary ?? "",
        description: operation.description ?? "",
        method: method.toUpperCase(),
        path: path.slice(pathPrefix.length),
        parameters,
        route: `${method.toUpperCase()} ${path.slice(pathPrefix.length)}`,
        query: toQuery(parameters.filter((parameter) => parameter.in === "query")),
        body: operation.requestBody && contentOf(operation.requestBody),
        response: contentOf(success),
        /** A file can be sent in place of the JSON. */
        isUpload: "multipart/form-data" in (operation.requestBody?.content ?? {}),
        isStream: "text/event-stream" in (success?.content ?? {}),
        problems: Object.values(operation.responses ?? {}).flatMap(
          ({ content }) => content?.["application/problem+json"]?.schema ?? [],
        ),
      };
    });
  });
}

export const nameOf = ({ $ref }: Reference): string => $ref.split("/").at(-1) ?? "";

/** A form is put together by the client; its type is that of the JSON form. */
export const contentOf = (holder: { content?: Content } | undefined): Schema =>
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

/** The names of all schemas that these lead to. */
export function reachable(schemas: Record<string, Schema>, roots: Schema[]): Set<string> {
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
