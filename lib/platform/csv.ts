/** In front of the first line: without it, Excel reads UTF-8 in another encoding. */
export const csvStart = "\uFEFF";

/**
 * A line of CSV (RFC 4180). A text that a spreadsheet would run as a formula gets an apostrophe in
 * front: whoever named something is not whoever opens the file.
 */
export function toCsvLine(cells: (string | number | null)[]): string {
  return `${cells.map(toCell).join(",")}\r\n`;
}

function toCell(value: string | number | null): string {
  if (typeof value !== "string") return value === null ? "" : String(value);
  const text = /^\s*[=+\-@\t\r\n]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
