import type { bindings } from "./sql";

/**
 * The texts that a filter's value is compared with. JSON shows very small numbers with an exponent,
 * and PostgreSQL stores them without one. Very large numbers are refused.
 */
export function comparedTexts(wanted: string): string[] {
  const hasExponent = /^-?\d+(\.\d+)?e[+-]?\d+$/i.test(wanted);
  return hasExponent ? [wanted, withoutExponent(String(Number(wanted)))] : [wanted];
}

const withoutExponent = (number: string): string =>
  number.replace(
    /(\d)\.?(\d*)e-(\d+)$/,
    (_, first: string, others: string, places: string) =>
      `0.${"0".repeat(Number(places) - 1)}${first}${others}`,
  );

/** The condition that a stored value of metadata is the one of a filter. */
export function hasValue(
  column: string,
  wanted: string,
  bind: ReturnType<typeof bindings>["bind"],
): string {
  const texts = comparedTexts(wanted);
  return texts.length === 1
    ? `${column} = ${bind("text", wanted)}`
    : `${column} = ANY (${bind("text[]", texts)})`;
}
