import { readFileSync } from "node:fs";

// Reads what a process serves at /metrics, and what deploy/monitoring expects there.

export type Sample = { name: string; labels: Record<string, string>; value: number };

export type Exposition = { types: Map<string, string>; samples: Sample[]; text: string };

export async function scrape(port: number): Promise<Exposition> {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`);
  const text = await response.text();
  const types = new Map<string, string>();
  const samples: Sample[] = [];
  for (const line of text.split("\n")) {
    const [, metric, type] = /^# TYPE (\w+) (\w+)$/.exec(line) ?? [];
    if (metric && type) types.set(metric, type);
    const [, name, labels = "", value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (!name || line.startsWith("#")) continue;
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)];
    samples.push({
      name,
      labels: Object.fromEntries(pairs.map(([, label = "", content = ""]) => [label, content])),
      value: Number(value),
    });
  }
  return { types, samples, text };
}

/** The sum of a metric's samples that have these labels. */
export const total = (
  { samples }: Exposition,
  name: string,
  labels: Record<string, string> = {},
): number =>
  samples
    .filter(
      (sample) =>
        sample.name === name &&
        Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
    )
    .reduce((sum, { value }) => sum + value, 0);

type Panel = { targets?: { expr: string }[] };

export const dashboardExpressions = (): string[] => {
  const { panels } = JSON.parse(readFileSync("deploy/monitoring/dashboard.json", "utf8")) as {
    panels: Panel[];
  };
  return panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
};

/** The names of all metrics in an expression, without the suffixes of a histogram's series. */
export const metricsIn = (expression: string): string[] =>
  [...expression.matchAll(/\b(?:parlance|nodejs|process)_[a-z0-9_]+/g)].map(([name]) =>
    name.replace(/_(bucket|count|sum)$/, ""),
  );
