import { type Parameter, resolveSchema } from "@/lib/platform/openapi";
import type { Collector } from "./openapi-schemas";
import type { Declaration } from "./operation";

export const idempotencyKey: Parameter = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "Makes the change once, even if the request is sent several times within 24 hours: the same key with the same request gets the first response, byte for byte. Use a UUID.",
  schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[\\x20-\\x7e]+$" },
  example: "0f9f8a52-9f0e-4c39-a7f8-6d4d6c1b6f27",
};

export const ifMatch: Parameter = {
  name: "If-Match",
  in: "header",
  required: false,
  description:
    "The `ETag` of the version that you have read, or `*` for any. If the resource is another version by now, or does not exist, the response is 412 and nothing changes.",
  schema: { type: "string", minLength: 1, maxLength: 1_000, pattern: "^[\\x20-\\x7e]+$" },
  example: '"Zr0dF1yQvN3H8kWmJ5xT2cLb7Pa"',
};

export const ifNoneMatch: Parameter = {
  name: "If-None-Match",
  in: "header",
  required: false,
  description:
    "The `ETag` of a response you have stored. While the resource is unchanged, the response is 304 without a body.",
  schema: { type: "string", minLength: 1, maxLength: 1_000, pattern: "^[\\x20-\\x7e]+$" },
  example: '"Zr0dF1yQvN3H8kWmJ5xT2cLb7Pa"',
};

export const lastEventId: Parameter = {
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

export function pathParameters(
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

export function queryParameters(
  { schemaOf, schemas }: Collector,
  { query }: Declaration,
): Parameter[] {
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
