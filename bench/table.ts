import { loadGenerator } from "./drive";

// The results of a part of the benchmark, and how they are printed.

/**
 * One line of the summary. `ratio` is to its baseline in the same run, and nothing else is
 * comparable.
 */
export type Row = { name: string; figure: string; ratio?: number; goal?: string; isMet?: boolean };

/** One variant of one row, for programs. Figures that a row does not have are null. */
export type Line = {
  row: string;
  variant: string;
  perSecond: number | null;
  p50Ms: number | null;
  p99Ms: number | null;
  /** Of the variant's own processes, per request or delivery. */
  cpuMicroseconds: number | null;
  residentMb: number | null;
  /** Its rate to that of the row's floor. */
  ratioToFloor: number | null;
};

export type Measured = { rows: Row[]; lines: Line[] };

export const line = (row: string, variant: string, figures: Partial<Line>): Line => ({
  row,
  variant,
  ...{ perSecond: null, p50Ms: null, p99Ms: null, cpuMicroseconds: null },
  ...{ residentMb: null, ratioToFloor: null },
  ...figures,
});

export const atLeast = (ratio: number, goal: number | undefined): Partial<Row> =>
  goal === undefined ? {} : { goal: `≥ ${goal.toFixed(1)}`, isMet: ratio >= goal };

export const atMost = (value: number, goal: number, unit = ""): Partial<Row> => ({
  goal: `≤ ${goal}${unit}`,
  isMet: value <= goal,
});

/** Progress, for people. With `--json`, standard output belongs to the lines. */
export function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

export function printLines(lines: Line[]): void {
  for (const entry of lines) {
    const rounded = Object.entries(entry).map(([name, value]) => [
      name,
      typeof value === "number" ? Number(value.toPrecision(4)) : value,
    ]);
    process.stdout.write(`${JSON.stringify(Object.fromEntries(rounded))}\n`);
  }
}

export function printRows(rows: Row[]): void {
  const width = Math.max(...rows.map(({ name }) => name.length));
  process.stdout.write(`\nLoad generator: ${loadGenerator}\n`);
  for (const { name, figure, ratio, goal, isMet } of rows) {
    const columns = [
      name.padEnd(width),
      figure.padStart(10),
      (ratio?.toFixed(2) ?? "").padStart(6),
      goal?.padEnd(9) ?? "",
    ];
    const verdict = isMet === undefined ? "" : isMet ? "  met" : "  NOT met";
    process.stdout.write(`${columns.join("  ").trimEnd()}${verdict}\n`);
  }
}
