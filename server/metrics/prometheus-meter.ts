import { Counter, Histogram, type Registry } from "prom-client";
import { type Meter, measurements } from "@/lib/platform/meter";

/** Counts and times with prom-client. Every metric exists from the start, even if it is still 0. */
export function prometheusMeter(registry: Registry): Meter {
  const counters: Partial<Record<string, Counter>> = {};
  const histograms: Partial<Record<string, Histogram>> = {};
  for (const [key, { type, labels, ...definition }] of Object.entries(measurements)) {
    const common = { ...definition, labelNames: [...labels], registers: [registry] };
    if (type === "counter") counters[key] = new Counter(common);
    else if ("buckets" in definition)
      histograms[key] = new Histogram({ ...common, buckets: [...definition.buckets] });
  }
  return {
    count: (name, labels, by = 1) => counters[name]?.inc(labels, by),
    observe: (name, durationMs, labels) => histograms[name]?.observe(labels, durationMs / 1_000),
  };
}
