import pg from "pg";

// Converts values of PostgreSQL for a response.

const { builtins, getTypeParser } = pg.types;
const textArray = 1009 as typeof builtins.TEXT;

const parsers: Record<number, (value: string) => unknown> = {
  [builtins.TIMESTAMPTZ]: toTimestamp,
  [textArray]: (value) => (value === "{}" ? [] : parseTextArray(value)),
};

/** For a query's `types`. */
export const responseTypes: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: "text" | "binary") =>
    parsers[oid] ?? getTypeParser(oid, format)) as pg.CustomTypesConfig["getTypeParser"],
};

const parseTextArray = getTypeParser(textArray) as (value: string) => string[];
const parseTime = getTypeParser(builtins.TIMESTAMPTZ) as (value: string) => Date;

/**
 * `2026-01-31 09:30:00.5+00` as `2026-01-31T09:30:00.500Z`. PostgreSQL leaves out zeros at the end
 * of the fraction. Times in another format, such as those of a session in another time zone, are
 * parsed.
 */
export function toTimestamp(text: string): string {
  const [withoutFraction, longest] = [22, 26];
  const { length } = text;
  if (length < withoutFraction || length > longest || text[10] !== " " || !text.endsWith("+00"))
    return parseTime(text).toISOString();
  const fraction = length === withoutFraction ? "" : text.slice(20, -3);
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction.padEnd(3, "0")}Z`;
}
