import { databaseWaits } from "./database-waits";
import {
  nameOfType,
  type Parameters,
  type Query,
  type References,
  type Statement,
  textArraysOf,
  type ValuesOf,
  withLockTimeout,
} from "./sql";

/** One text for two statements: for one change, and for many of its kind together. */
export type ChangeStatement<P extends Parameters = Parameters> = {
  name: string;
  one: Statement<P>;
  /**
   * Each row that it returns has the number of its change as `n`, from 1, and `isMade`. That is false
   * if a statement of its own would make nothing either. A change without a row has to wait for a lock.
   */
  many: (changes: readonly ValuesOf<P>[]) => Query;
};

type ChangeText<P extends Parameters> = {
  /** A query with a row for each change: its number `n`, and a column for each parameter. */
  input: string;
  /** The columns of `input` in a table that has them too. */
  of: (table: string) => References<P>;
  /**
   * Whether the statement makes many changes. It then makes only those that it can make immediately:
   * one that waits for a lock would make all others wait. If it has to wait all the same, it soon fails.
   */
  isMany: boolean;
};

/**
 * A hand-written statement that makes changes of one kind. `write` is called once for one change,
 * and once for many, whose values arrive as an array for each parameter.
 */
export function changeSql<const P extends Parameters>(
  name: string,
  parameters: P,
  write: (text: ChangeText<P>) => string,
): ChangeStatement<P> {
  const names = Object.keys(parameters);
  const columns = names.map(columnOf);
  const types = names.map((parameter) => nameOfType(parameters[parameter] ?? "text"));
  const of = (table: string) =>
    Object.fromEntries(
      names.map((parameter, index) => [parameter, `${table}.${columns[index]}`]),
    ) as References<P>;

  const scalars = columns.map((column, index) => `$${index + 1}::${types[index]} AS ${column}`);
  const one = write({ input: `SELECT 1 AS n, ${scalars.join(", ")}`, of, isMany: false });

  const arrays = columns.map((column, index) => `$${index + 1}::text[] AS ${column}`);
  const items = columns.map((column, index) =>
    types[index] === "text" ? `i.${column}` : `i.${column}::${types[index]}`,
  );
  // Behind OFFSET 0, the planner cannot see how long the arrays are, so that one plan serves every
  // number of changes, and is made once.
  const many = write({
    input: `SELECT i.n::int AS n, ${items.join(", ")} FROM (SELECT ${arrays.join(", ")} OFFSET 0) AS a,
      unnest(${columns.map((column) => `a.${column}`).join(", ")}) WITH ORDINALITY AS i (${columns.join(", ")}, n)
      WHERE ${withLockTimeout(`'${databaseWaits.sharedLock}ms'`)}`,
    of,
    isMany: true,
  });
  const textArrays = textArraysOf(parameters);
  const all = names.map((_, index) => index);
  return {
    name,
    one: (given) => ({
      name,
      text: one,
      values: names.map((parameter) => (given as Record<string, unknown>)[parameter] ?? null),
      textArrays,
    }),
    many: (changes) => ({
      name: `${name}_many`,
      text: many,
      values: names.map((parameter) =>
        changes.map((given) => asText((given as Record<string, unknown>)[parameter])),
      ),
      textArrays: all,
    }),
  };
}

const columnOf = (parameter: string): string =>
  parameter.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** A value in PostgreSQL's text format. */
function asText(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value === "string") return value;
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString("hex")}`;
  if (Array.isArray(value)) return `{${value.map(asItem).join(",")}}`;
  return String(value);
}

/** An item of an array in that format. NULL without quotes means null, and with quotes the text. */
function asItem(item: unknown): string {
  const text = asText(item);
  return text === null ? "NULL" : `"${text.replace(/["\\]/g, "\\$&")}"`;
}
