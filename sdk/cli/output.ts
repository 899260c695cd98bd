export type Output = {
  /** One result: as JSON with `--json`, otherwise as text. */
  result: (value: unknown, text: string) => void;
  /** What a person wants to know and a program does not. */
  note: (text: string) => void;
};

export const createOutput = (isJson: boolean): Output => ({
  result: (value, text) => void process.stdout.write(`${isJson ? JSON.stringify(value) : text}\n`),
  note: (text) => void process.stderr.write(`${text}\n`),
});

/** Lines with aligned columns. */
export function table(rows: string[][]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows
    .map((row) =>
      row
        .map((cell, column) => (column < row.length - 1 ? cell.padEnd(widths[column] ?? 0) : cell))
        .join("  "),
    )
    .join("\n");
}
