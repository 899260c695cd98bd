import { z } from "zod";

// A response is parsed by its schema, so that it contains only the fields of the contract, and then
// written as JSON. Parsing copies every object. The copy nearly always equals the original, and
// checking that costs less than making the copy.

/**
 * Whether it is certain that a schema accepts a value and returns the same: its fields in the same
 * order, and no others. If not, the schema decides.
 */
type IsAsParsed = (value: unknown) => boolean;

/**
 * @returns a function that returns the same text as `JSON.stringify(schema.parse(value))`, and
 * throws whenever `parse` throws.
 */
export function compileSerializer(schema: z.ZodType): (value: unknown) => string {
  const isAsParsed = compile(schema);
  return (value) => JSON.stringify(isAsParsed(value) ? value : schema.parse(value));
}

function compile(schema: z.ZodType): IsAsParsed {
  if (schema instanceof z.ZodObject) return compileObject(schema);
  if (schema instanceof z.ZodArray && !hasChecks(schema)) {
    const isItem = compile(schema.element as z.ZodType);
    // `every` would skip holes, which JSON writes as null.
    return (value) => {
      if (!Array.isArray(value)) return false;
      for (const item of value) if (!isItem(item)) return false;
      return true;
    };
  }
  if (schema instanceof z.ZodRecord) return compileRecord(schema);
  if (schema instanceof z.ZodNullable) {
    const isValue = compile(schema.unwrap() as z.ZodType);
    return (value) => value === null || isValue(value);
  }
  if (schema instanceof z.ZodOptional) return compile(schema.unwrap() as z.ZodType);
  return compileScalar(schema) ?? neverCertain;
}

const neverCertain: IsAsParsed = () => false;

function compileObject(schema: z.ZodObject): IsAsParsed {
  if (hasChecks(schema)) return neverCertain;
  const fields = Object.entries(schema.shape).map(([name, field]) => ({
    name,
    isValue: compile(field as z.ZodType),
    isOptional: field instanceof z.ZodOptional,
  }));
  return (value) => {
    if (!isPlainObject(value)) return false;
    let next = 0;
    for (const name in value) {
      while (fields[next]?.name !== name) if (!fields[next++]?.isOptional) return false;
      if (!fields[next++]?.isValue(value[name])) return false;
    }
    while (next < fields.length) if (!fields[next++]?.isOptional) return false;
    return true;
  };
}

/** A record of scalars, such as metadata. */
function compileRecord(schema: z.ZodRecord): IsAsParsed {
  const refinements = checksOf(schema).map((check) => check._zod.def as { fn?: unknown });
  const isName = schema.keyType instanceof z.ZodString && compileScalar(schema.keyType);
  const options =
    schema.valueType instanceof z.ZodUnion ? schema.valueType.options : [schema.valueType];
  const isOneOf = options.map((option) => compileScalar(option as z.ZodType) ?? neverCertain);
  if (!isName || refinements.some(({ fn }) => typeof fn !== "function")) return neverCertain;
  return (value) => {
    if (!isPlainObject(value)) return false;
    for (const name in value) {
      if (name === "__proto__" || !isName(name)) return false;
      const field = value[name];
      if (!isOneOf.some((isValue) => isValue(field))) return false;
    }
    return refinements.every(({ fn }) => (fn as (value: object) => unknown)(value) === true);
  };
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Null for schemas that are not scalars, or have a check that is not known here. */
function compileScalar(schema: z.ZodType): IsAsParsed | null {
  if (schema instanceof z.ZodString) return compileString(schema);
  if (schema instanceof z.ZodNumber) {
    const checks = checksOf(schema).map((check) => check._zod.def as { format?: string });
    if (checks.some(({ format }) => format !== "safeint")) return null;
    return checks.length > 0 ? Number.isSafeInteger : Number.isFinite;
  }
  if (schema instanceof z.ZodBoolean && !hasChecks(schema))
    return (value) => typeof value === "boolean";
  if ((schema instanceof z.ZodEnum || schema instanceof z.ZodLiteral) && !hasChecks(schema)) {
    const values: ReadonlySet<unknown> = schema._zod.values;
    return (value) => values.has(value);
  }
  return null;
}

function compileString(schema: z.ZodString): IsAsParsed | null {
  let [minimum, maximum] = [0, Number.POSITIVE_INFINITY];
  for (const check of checksOf(schema)) {
    const def = check._zod.def as { check: string; minimum?: number; maximum?: number };
    if (def.check === "min_length") minimum = Math.max(minimum, def.minimum ?? 0);
    else if (def.check === "max_length") maximum = Math.min(maximum, def.maximum ?? 0);
    else return null;
  }
  return (value) => typeof value === "string" && value.length >= minimum && value.length <= maximum;
}

const checksOf = (schema: z.ZodType): z.core.$ZodCheck<never>[] => schema._zod.def.checks ?? [];

/** Refinements and transformations, which only the schema can run. */
const hasChecks = (schema: z.ZodType) => checksOf(schema).length > 0;
