import { z } from "zod";

// A response is parsed by its schema, so that no field leaves that the contract does not name, and
// then printed as JSON. Doing both costs as much as reading the rows. A serializer does it in one
// pass over the value, without building what `parse` returns.

/**
 * Writes a value as JSON if it is certain that the schema accepts it and what it makes of it.
 * Otherwise undefined, and the schema decides.
 */
type Write = (value: unknown) => string | undefined;

/**
 * @returns a function that returns the same text as `JSON.stringify(schema.parse(value))`, and
 * throws whenever `parse` throws.
 */
export function compileSerializer(schema: z.ZodType): (value: unknown) => string {
  const write = compile(schema);
  return (value) => write(value) ?? JSON.stringify(schema.parse(value));
}

function compile(schema: z.ZodType): Write {
  if (schema instanceof z.ZodObject) return compileObject(schema);
  if (schema instanceof z.ZodArray) return compileArray(schema);
  if (schema instanceof z.ZodRecord) return compileRecord(schema);
  if (schema instanceof z.ZodNullable) {
    const write = compile(schema.unwrap() as z.ZodType);
    return (value) => (value === null ? "null" : write(value));
  }
  if (schema instanceof z.ZodOptional) return compile(schema.unwrap() as z.ZodType);
  return compileScalar(schema) ?? byParsing(schema);
}

/** For schemas that have no faster way. */
function byParsing(schema: z.ZodType): Write {
  return (value) => {
    const { data } = schema.safeParse(value);
    return JSON.stringify(data);
  };
}

const isIndex = (name: string) => /^\d+$/.test(name);

function compileObject(schema: z.ZodObject): Write {
  const fields = Object.entries(schema.shape).map(([name, field]) => ({
    name,
    start: `${JSON.stringify(name)}:`,
    write: compile(field as z.ZodType),
  }));
  // Other kinds of objects also write unknown fields, and names of digits come first in any object.
  if (schema.def.catchall || hasChecks(schema) || fields.some(({ name }) => isIndex(name)))
    return byParsing(schema);
  const optional = new Set(
    fields.filter(({ name }) => schema.shape[name] instanceof z.ZodOptional).map((f) => f.name),
  );
  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
    let json = "";
    for (const { name, start, write } of fields) {
      const field = (value as Record<string, unknown>)[name];
      if (field === undefined && optional.has(name)) continue;
      const written = write(field);
      if (written === undefined) return undefined;
      json += `${json === "" ? "{" : ","}${start}${written}`;
    }
    return json === "" ? "{}" : `${json}}`;
  };
}

function compileArray(schema: z.ZodArray): Write {
  if (hasChecks(schema)) return byParsing(schema);
  const write = compile(schema.element as z.ZodType);
  return (value) => {
    if (!Array.isArray(value)) return undefined;
    let json = "";
    for (const item of value) {
      const written = write(item);
      if (written === undefined) return undefined;
      json += json === "" ? written : `,${written}`;
    }
    return `[${json}]`;
  };
}

/** A record of scalars, such as metadata. */
function compileRecord(schema: z.ZodRecord): Write {
  const refinements = checksOf(schema).map((check) => check._zod.def as { fn?: unknown });
  const key = schema.keyType instanceof z.ZodString && compileScalar(schema.keyType);
  const options =
    schema.valueType instanceof z.ZodUnion ? schema.valueType.options : [schema.valueType];
  const writes = options.map((option) => compileScalar(option as z.ZodType));
  if (!key || writes.includes(null) || refinements.some(({ fn }) => typeof fn !== "function"))
    return byParsing(schema);
  return (value) => {
    if (!isPlainObject(value)) return undefined;
    if (refinements.some(({ fn }) => (fn as (value: object) => unknown)(value) !== true))
      return undefined;
    let json = "";
    for (const name of Object.keys(value)) {
      const start = name === "__proto__" ? undefined : key(name);
      let written: string | undefined;
      for (const write of writes) written ??= write?.(value[name]);
      if (start === undefined || written === undefined) return undefined;
      json += `${json === "" ? "" : ","}${start}:${written}`;
    }
    return `{${json}}`;
  };
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Null for schemas that are not scalars, or have a check that is not known here. */
function compileScalar(schema: z.ZodType): Write | null {
  if (schema instanceof z.ZodString) return compileString(schema);
  if (schema instanceof z.ZodNumber) {
    const checks = checksOf(schema).map((check) => check._zod.def as { format?: string });
    if (checks.some(({ format }) => format !== "safeint")) return null;
    const isNumber = checks.length > 0 ? Number.isSafeInteger : Number.isFinite;
    return (value) => (isNumber(value) ? String(value) : undefined);
  }
  if (schema instanceof z.ZodBoolean && !hasChecks(schema))
    return (value) => (typeof value === "boolean" ? String(value) : undefined);
  if ((schema instanceof z.ZodEnum || schema instanceof z.ZodLiteral) && !hasChecks(schema)) {
    const texts = new Map([...schema._zod.values].map((value) => [value, JSON.stringify(value)]));
    return (value) => texts.get(value as string);
  }
  return null;
}

function compileString(schema: z.ZodString): Write | null {
  let [minimum, maximum] = [0, Number.POSITIVE_INFINITY];
  for (const check of checksOf(schema)) {
    const def = check._zod.def as { check: string; minimum?: number; maximum?: number };
    if (def.check === "min_length") minimum = Math.max(minimum, def.minimum ?? 0);
    else if (def.check === "max_length") maximum = Math.min(maximum, def.maximum ?? 0);
    else return null;
  }
  return (value) =>
    typeof value === "string" && value.length >= minimum && value.length <= maximum
      ? quote(value)
      : undefined;
}

const longestScanned = 100;
/** Without quotes, backslashes, control characters and surrogates, which JSON escapes. */
const isPlain = /^[ !#-[\]-\ud7ff\ue000-\uffff]*$/;

/** Most strings are short and have nothing to escape, which a scan shows sooner. */
const quote = (text: string): string =>
  text.length <= longestScanned && isPlain.test(text) ? `"${text}"` : JSON.stringify(text);

const checksOf = (schema: z.ZodType): z.core.$ZodCheck<never>[] => schema._zod.def.checks ?? [];

/** Refinements and transformations, which only the schema can run. */
const hasChecks = (schema: z.ZodType) => checksOf(schema).length > 0;
