/** A byte order mark: without it, Excel does not read the file as UTF-8. */
export const csvStart = "\uFEFF";

/**
 * A line of CSV (RFC 4180). Text that a spreadsheet would run as a formula is prefixed with an
 * apostrophe, because the text may come from someone other than the person who opens the file.
 */
export function toCsvLine(cells: (string | number | null)[]): string {
  return `${cells.map(toCell).join(",")}\r\n`;
}

/**
 * What a spreadsheet may take for the start of a formula: the ASCII signs and their full-width forms,
 * after any invisible characters, and a tab or line end on its own.
 */
const formulaStart = /^(?:[\t\r\n]|[\s\p{Cf}]*[=+\-@＝＋－＠])/u;

function toCell(value: string | number | null): string {
  if (typeof value !== "string") return value === null ? "" : String(value);
  const text = formulaStart.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
