type Cell = string | number;

/**
 * Rows as CSV (RFC 4180), in UTF-8 with a byte order mark, without which Excel reads it in another encoding. A text that
 * a spreadsheet would run as a formula gets an apostrophe in front: whoever named a key is not whoever opens the file.
 */
export function toCsv(rows: Cell[][]): string {
  return `\uFEFF${rows.map((row) => `${row.map(toCell).join(",")}\r\n`).join("")}`;
}

function toCell(value: Cell): string {
  if (typeof value === "number") return String(value);
  const text = /^\s*[=+\-@\t\r\n]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
