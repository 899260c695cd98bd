import type * as enums from "@/prisma/generated/enums";
import { timeSetByTest } from "./time";

/**
 * A statement with its values, as pg takes it. See `runSql` in db.ts. `textArrays` says which values
 * are arrays of texts.
 */
export type Query = {
  name?: string;
  text: string;
  values: unknown[];
  textArrays?: readonly number[];
};

/** The enums of the schema, under the names that they have in PostgreSQL too. */
type EnumValues = {
  [Name in keyof typeof enums]: (typeof enums)[Name][keyof (typeof enums)[Name]];
};

/** What a parameter of each PostgreSQL type takes. JSON is passed as text. */
type ScalarValues = EnumValues & {
  text: string;
  int: number;
  float8: number;
  boolean: boolean;
  date: string;
  timestamptz: Date;
  bytea: Uint8Array;
  jsonb: string;
  tsquery: string;
  xid8: string;
};

type Scalar = keyof ScalarValues;

/**
 * The type of a parameter. `text?` also takes null and can be left out; `int[]` takes an array, and
 * `int?[]` an array with nulls. A `clock` takes the time that due rows are compared with: left out,
 * it is the one that tests set, or null, which `timeOf` reads as the database's own.
 */
export type ParameterType = `${Scalar}${"" | "?" | "[]" | "[]?" | "?[]"}` | "clock";

export type Parameters = Readonly<Record<string, ParameterType>>;

export type ValueOf<Type> = Type extends "clock"
  ? Date | null | undefined
  : Type extends `${infer Some}?`
    ? ValueOf<Some> | null | undefined
    : Type extends `${infer Item}[]`
      ? readonly ValueOf<Item>[]
      : Type extends Scalar
        ? ScalarValues[Type]
        : never;

type Optional<P extends Parameters> = {
  [Name in keyof P]: undefined extends ValueOf<P[Name]> ? Name : never;
}[keyof P];

/** The values of a statement's parameters, by name. */
export type ValuesOf<P extends Parameters> = {
  [Name in Exclude<keyof P, Optional<P>>]: ValueOf<P[Name]>;
} & { [Name in Optional<P>]?: ValueOf<P[Name]> };

/** How the text of a statement refers to its parameters: `p.tenantId` is `$1::text`. */
export type References<P extends Parameters> = { readonly [Name in keyof P]: string };

export type Statement<P extends Parameters = Parameters> = (values: ValuesOf<P>) => Query;

/**
 * A hand-written statement with named parameters. Its text is written once, when the module loads.
 * The result is a function from named values to a query, so a name that is missing or misspelled
 * does not compile.
 * @param name what PostgreSQL prepares it under, together with a digest of the text. Null for a
 * statement whose best plan depends on its values: it is planned each time, which costs a fraction
 * of a millisecond.
 */
export function sql<const P extends Parameters>(
  name: string | null,
  parameters: P,
  write: (p: References<P>) => string,
): Statement<P> {
  const names = Object.keys(parameters);
  const references = names.map(
    (parameter, index) => [parameter, reference(index + 1, parameters[parameter])] as const,
  );
  const text = write(Object.fromEntries(references) as References<P>);
  for (const [parameter, written] of references) {
    // PostgreSQL could not tell the type of a parameter that the text does not mention.
    if (!text.includes(written)) throw new Error(`${name ?? text} does not use ${parameter}`);
  }
  const textArrays = textArraysOf(parameters);
  const clockIndex = names.findIndex((parameter) => parameters[parameter] === "clock");
  return (given) => {
    const values = names.map((parameter) => (given as Record<string, unknown>)[parameter] ?? null);
    if (clockIndex >= 0) values[clockIndex] ??= timeSetByTest();
    return name === null ? { text, values, textArrays } : { name, text, values, textArrays };
  };
}

/**
 * For a statement whose text depends on the query: `bind` adds a value, and returns how the
 * text refers to it.
 */
export function bindings() {
  const values: unknown[] = [];
  const bind = <Type extends ParameterType>(type: Type, value: ValueOf<Type>): string =>
    reference(values.push(value), type);
  return { bind, values };
}

export const fewRows = 1_000;

/**
 * The rows of a batch, to be joined with a table. A statement must take no more rows than this, or
 * what it leaves must be taken again. Without the limit, the planner would guess the size of the
 * batch from that of the table it was chosen from, and read a whole index instead of looking each row
 * up.
 */
export const fewRowsOf = (batch: string): string => `(SELECT * FROM ${batch} LIMIT ${fewRows})`;

/**
 * Equality, written as two bounds, for a statement that orders by this column first. With `=`,
 * PostgreSQL would drop the column from the order. If its statistics then know a single value, any
 * index in the rest of the order seems as good, and it reads every row to find those of a rare value.
 * @example `WHERE ${isInOrder("status", status)} ORDER BY status, id LIMIT 20`
 */
export const isInOrder = (column: string, value: string): string =>
  `${column} >= ${value} AND ${column} <= ${value}`;

/**
 * A condition that is always true, and makes the transaction end without waiting for the disk. A
 * crash of PostgreSQL may undo it, so it is for what then happens again, such as a claim.
 */
export const withoutFlush = "(SELECT set_config('synchronous_commit', 'off', true)) IS NOT NULL";

/**
 * A condition that is always true, and sets how long the transaction waits for each lock from now on,
 * such as `250ms`. It must be evaluated before the first row is locked. Locks on tables are taken earlier.
 */
export const withLockTimeout = (timeout: string): string =>
  `(SELECT set_config('lock_timeout', ${timeout}, true)) IS NOT NULL`;

/** The time of a `clock` parameter, or the database's own. */
export const timeOf = (clock: string): string => `coalesce(${clock}, now())`;

/** Which parameters are arrays of texts. */
export const textArraysOf = (parameters: Parameters): number[] =>
  Object.values(parameters).flatMap((type, index) => (/^text\??\[\]/.test(type) ? [index] : []));

const reference = (number: number, type = "text"): string => `$${number}::${nameOfType(type)}`;

/** A type as PostgreSQL names it. */
export function nameOfType(type: string): string {
  if (type === "clock") return "timestamptz";
  const base = type.replaceAll("?", "");
  return /^[A-Z]/.test(base) ? base.replace(/^\w+/, '"$&"') : base;
}
