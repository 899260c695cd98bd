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
 * Text that a spreadsheet may read as a formula: it starts with an ASCII sign or its full-width
 * form, after any invisible characters, or with a tab or line end.
 */
const formulaStart = /^(?:[\t\r\n]|[\s\p{Cf}]*[=+\-@＝＋－＠])/u;

/**
 * Where Excel expects semicolons between cells, as it does in much of Europe, it splits lines at
 * those inside a text, and at line ends, whether the text is quoted or not. What follows is a cell.
 */
const laterFormulaStart = /(?<=[;\t\r\n])(?=["\s\p{Cf}]{0,20}[=+\-@＝＋－＠])/gu;

function toCell(value: string | number | null): string {
  if (typeof value !== "string") return value === null ? "" : String(value);
  const later = value.replaceAll(laterFormulaStart, "'");
  const text = formulaStart.test(value) ? `'${later}` : later;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
