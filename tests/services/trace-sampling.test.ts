import { afterAll, expect, test } from "vitest";
import { env } from "@/lib/platform/env";
import { tracer } from "@/lib/platform/tracing";
import { startTracing } from "@/server/tracing/start-tracing";
import { startTraceCollector } from "../support/trace-collector";

const given = process.env.OTEL_EXPORTER_OTLP_ENDPOINT;
afterAll(() => {
  if (given === undefined) delete process.env.OTEL_EXPORTER_OTLP_ENDPOINT;
  else process.env.OTEL_EXPORTER_OTLP_ENDPOINT = given;
  env().OTEL_TRACES_SAMPLER_ARG = 1;
  (globalThis as { parlanceTracer?: unknown }).parlanceTracer = undefined;
});

test("at a low ratio, the id of a trace alone decides whether it is sampled, not the flag of a client", async () => {
  const collector = await startTraceCollector();
  process.env.OTEL_EXPORTER_OTLP_ENDPOINT = collector.url;
  env().OTEL_TRACES_SAMPLER_ARG = 0.01;
  const stop = startTracing("web");
  const traces = {
    sampled: "4bf92f354bf92f350000000000000001",
    skipped: "4bf92f3577b34da6a3ce929d0e0e4736",
  };
  const made = Object.entries(traces).flatMap(([name, id]) =>
    ["00", "01"].map((flag) => {
      const parent = `00-${id}-00f067aa0ba902b7-${flag}`;
      const span = tracer()?.start(`${name} ${flag}`, { kind: "server", parent });
      // A statement of the request, and the delivery attempt in another process.
      tracer()
        ?.start(`${name} ${flag} child`, { kind: "client", parent: span?.traceparent ?? null })
        .end();
      span?.end();
      return span?.traceparent.slice(-2);
    }),
  );
  // Requests of clients that send no trace.
  for (let number = 0; number < 2_000; number++)
    tracer()?.start("own", { kind: "server", parent: null }).end();
  await stop();
  await collector.close();

  const names = collector.spans.map(({ name }) => name);
  expect(names.filter((name) => name !== "own").sort()).toEqual([
    "sampled 00",
    "sampled 00 child",
    "sampled 01",
    "sampled 01 child",
  ]);
  // What is passed on to others says what was decided here.
  expect(made).toEqual(["01", "01", "00", "00"]);
  // About 20: ids of traces are random, and more than 200 of 2,000 are impossible in practice.
  expect(names.filter((name) => name === "own").length).toBeLessThan(200);
});
