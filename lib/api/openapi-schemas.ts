import { z } from "zod";
import { type JsonSchema, referenceToSchema } from "@/lib/platform/openapi";

type Direction = "input" | "output";

const sharedPrefix = "#/$defs/";

/**
 * Collects the named schemas of a document. `schemaOf` converts a zod schema to JSON Schema, in
 * which every schema with an id is a reference.
 */
export function schemaCollector() {
  const schemas: Record<string, JsonSchema> = {};

  function add(name: string, schema: JsonSchema): void {
    const known = schemas[name];
    // If two schemas shared a name, one of them would be described incorrectly.
    if (known && JSON.stringify(known) !== JSON.stringify(schema))
      throw new Error(`two schemas are named ${name}`);
    schemas[name] = schema;
  }

  function schemaOf(schema: z.ZodType, direction: Direction): JsonSchema {
    // zod turns a schema with an id into a reference only inside another schema.
    const whole = z.toJSONSchema(z.object({ schema }), {
      io: direction,
      unrepresentable: "any",
      override: describe,
    });
    const { $defs = {}, properties = {} } = whole as JsonSchema & {
      $defs?: Record<string, JsonSchema>;
    };
    for (const [name, definition] of Object.entries($defs))
      add(name, readable(definition, direction));
    return readable(properties.schema ?? {}, direction);
  }

  /** A reference to the schema. A schema without an id gets the given name. */
  function referenceTo(name: string, schema: z.ZodType, direction: Direction): JsonSchema {
    const found = schemaOf(schema, direction);
    if (found.$ref) return found;
    add(name, found);
    return referenceToSchema(name);
  }

  return { schemas, add, schemaOf, referenceTo };
}

export type Collector = ReturnType<typeof schemaCollector>;

type Described = { zodSchema: z.core.$ZodType; jsonSchema: z.core.JSONSchema.BaseSchema };

/**
 * Describes dates as strings, and adds the examples and defaults of transformed strings. zod omits
 * them, but ours describe the string.
 */
function describe({ zodSchema, jsonSchema }: Described): void {
  if (zodSchema._zod.def.type === "date")
    Object.assign(jsonSchema, { type: "string", format: "date-time" });
  const { examples, default: value } = z.globalRegistry.get(zodSchema) ?? {};
  if (examples !== undefined) Object.assign(jsonSchema, { examples });
  if (value !== undefined) Object.assign(jsonSchema, { default: value });
}

/** PostgreSQL cannot store NUL, so requests with it are refused and no response has it. */
const noNul = "^[^\\x00]*$";

function isFreeText({
  type,
  format,
  pattern,
  enum: values,
  contentMediaType,
  ...rest
}: JsonSchema): boolean {
  return (
    type === "string" && !format && !pattern && !values && !contentMediaType && !("const" in rest)
  );
}

/** The schema as people read it: simpler than zod's, and with explicit formats. */
function readable(schema: JsonSchema, direction: Direction): JsonSchema {
  const { id: _, ...given } = schema as JsonSchema & { id?: string };
  const result: JsonSchema = { ...given };
  if (result.$ref) Object.assign(result, referenceToSchema(result.$ref.slice(sharedPrefix.length)));
  if (result.type === "integer")
    result.format ??= (result.maximum ?? Number.MAX_SAFE_INTEGER) < 2 ** 31 ? "int32" : "int64";
  if (isFreeText(result)) result.pattern = noNul;
  // The format already expresses zod's long pattern.
  if (result.format === "date-time" || result.format === "email") delete result.pattern;
  // Responses may gain fields within an API version, bodies are strict.
  if (direction === "output" && result.additionalProperties === false)
    delete result.additionalProperties;

  const inside = (part: JsonSchema) => readable(part, direction);
  if (result.properties) {
    result.properties = Object.fromEntries(
      Object.entries(result.properties).map(([name, part]) => [name, inside(part)]),
    );
  }
  if (result.items) result.items = inside(result.items);
  if (result.propertyNames) result.propertyNames = inside(result.propertyNames);
  if (typeof result.additionalProperties === "object")
    result.additionalProperties = inside(result.additionalProperties);
  for (const keyword of ["anyOf", "oneOf", "allOf"] as const) {
    if (result[keyword]) result[keyword] = result[keyword].map(inside);
  }
  return foldNull(result);
}

/** Shortens `anyOf: [X, null]` to `type: [x, "null"]`. */
function foldNull(schema: JsonSchema): JsonSchema {
  const { anyOf, ...rest } = schema;
  if (anyOf?.length !== 2 || anyOf[1]?.type !== "null") return schema;
  const [value] = anyOf;
  if (!value || typeof value.type !== "string" || "const" in value) return schema;
  return {
    ...value,
    ...rest,
    type: [value.type, "null"],
    ...(value.enum && { enum: [...value.enum, null] }),
  };
}
