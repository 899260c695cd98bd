import { nameOfType, type Parameters, type References, textArraysOf, type ValuesOf } from "./sql";

type Values = Readonly<Record<string, unknown>>;

/**
 * Named values as the rows of a table, for statements that work for one request or for many of its
 * kind together. For many, they arrive as an array for each parameter.
 */
export function inputOf<P extends Parameters>(parameters: P) {
  const names = Object.keys(parameters);
  const columns = names.map(columnOf);
  const types = names.map((parameter) => nameOfType(parameters[parameter] ?? "text"));
  const scalars = columns.map((column, index) => `$${index + 1}::${types[index]} AS ${column}`);
  const arrays = columns.map((column, index) => `$${index + 1}::text[] AS ${column}`);
  const items = columns.map((column, index) =>
    types[index] === "text" ? `i.${column}` : `i.${column}::${types[index]}`,
  );
  const textArrays = textArraysOf(parameters);
  const everyIndex = names.map((_, index) => index);
  return {
    /** The columns in a table that has them. */
    columns: (table: string) =>
      Object.fromEntries(
        names.map((parameter, index) => [parameter, `${table}.${columns[index]}`]),
      ) as References<P>,
    /** A query with one row: its number `n`, which is 1, and a column for each parameter. */
    one: {
      sql: `SELECT 1 AS n, ${scalars.join(", ")}`,
      values: (given: ValuesOf<P>) => ({
        values: names.map((parameter) => (given as Values)[parameter] ?? null),
        textArrays,
      }),
    },
    /**
     * The same with many rows, numbered from 1. Behind OFFSET 0, the planner cannot see how long the
     * arrays are, so that one plan serves every number of rows, and is made once.
     */
    many: {
      sql: `SELECT i.n::int AS n, ${items.join(", ")} FROM (SELECT ${arrays.join(", ")} OFFSET 0) AS a,
      unnest(${columns.map((column) => `a.${column}`).join(", ")}) WITH ORDINALITY AS i (${columns.join(", ")}, n)`,
      values: (rows: readonly ValuesOf<P>[]) => ({
        values: names.map((parameter) => rows.map((given) => asText((given as Values)[parameter]))),
        textArrays: everyIndex,
      }),
    },
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
