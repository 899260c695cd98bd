/** The parts of OpenAPI 3.1 and JSON Schema 2020-12 that the document uses. */

export type JsonValue =
  | string
  | number
  | boolean
  | null
  | JsonValue[]
  | { [key: string]: JsonValue };

export type JsonSchema = {
  $ref?: string;
  type?: string | string[];
  enum?: JsonValue[];
  const?: JsonValue;
  default?: JsonValue;
  examples?: JsonValue[];
  title?: string;
  description?: string;
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: boolean | JsonSchema;
  propertyNames?: JsonSchema;
  items?: JsonSchema;
  prefixItems?: JsonSchema[];
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
  contentMediaType?: string;
  discriminator?: { propertyName: string; mapping: Record<string, string> };
};

export type Reference = { $ref: string };

export type Parameter = {
  name: string;
  in: "path" | "query" | "header";
  required: boolean;
  description?: string;
  schema: JsonSchema;
  style?: "form" | "deepObject";
  explode?: boolean;
  example?: JsonValue;
};

export type Header = {
  description: string;
  required?: boolean;
  schema: JsonSchema;
  example?: JsonValue;
};

export type Example = { summary: string; description?: string; value: JsonValue };

export type MediaType = {
  schema: JsonSchema;
  example?: JsonValue;
  examples?: Record<string, Example | Reference>;
  encoding?: Record<string, { contentType: string }>;
};

export type ApiResponse = {
  description: string;
  headers?: Record<string, Header | Reference>;
  content?: Record<string, MediaType>;
  /** Every problem kind that this response can have. */
  "x-problem-kinds"?: string[];
};

export type ApiOperation = {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  deprecated?: true;
  security?: Record<string, string[]>[];
  "x-required-scope"?: string;
  parameters?: (Parameter | Reference)[];
  requestBody?: { description?: string; required: boolean; content: Record<string, MediaType> };
  responses: Record<string, ApiResponse>;
};

export type OpenApiDocument = {
  openapi: "3.1.1";
  info: {
    title: string;
    version: string;
    summary: string;
    description: string;
    contact: { name: string; url: string };
  };
  servers: { url: string; description: string }[];
  externalDocs: { description: string; url: string };
  security: Record<string, string[]>[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, ApiOperation>>;
  webhooks: Record<string, { post: ApiOperation }>;
  components: {
    securitySchemes: Record<string, Record<string, unknown>>;
    parameters: Record<string, Parameter>;
    headers: Record<string, Header>;
    examples: Record<string, Example>;
    schemas: Record<string, JsonSchema>;
  };
};

const componentPrefix = "#/components/schemas/";

export const referenceToSchema = (name: string): JsonSchema => ({
  $ref: `${componentPrefix}${name}`,
});

export const nameOfReference = ({ $ref }: JsonSchema): string | undefined =>
  $ref?.slice(componentPrefix.length);

/** Resolves a reference and merges its sibling keywords. Returns any other schema unchanged. */
export function resolveSchema(schemas: Record<string, JsonSchema>, schema: JsonSchema): JsonSchema {
  const name = nameOfReference(schema);
  if (!name) return schema;
  const { $ref: _, ...rest } = schema;
  return { ...schemas[name], ...rest };
}

/** The reference page of a tag, which lists its operations and describes its objects. */
export const referencePath = (tag: string) =>
  `/docs/reference/${tag.toLowerCase().replaceAll(" ", "-")}`;

/** The reference page of one operation, below that of its tag. */
export const operationPath = (tag: string, operationId: string) =>
  `${referencePath(tag)}/${kebabCase(operationId)}`;

/** `createWebhook` becomes `create-webhook`. */
export const kebabCase = (name: string) =>
  name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
