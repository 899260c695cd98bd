import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { parseTraceParent, setGlobalErrorHandler } from "@opentelemetry/core";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { detectResources, envDetector, resourceFromAttributes } from "@opentelemetry/resources";
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
} from "@opentelemetry/sdk-trace-base";
import { env } from "@/lib/platform/env";
import { log } from "@/lib/platform/log";
import { type Span, setTracer } from "@/lib/platform/tracing";

/** How long a process that stops waits for the collector. */
const flushMs = 2_000;
/** A collector that is away is logged at most this often. */
const quietMs = 60_000;

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT };

/**
 * Starts to trace. Loaded only when OTEL_EXPORTER_OTLP_ENDPOINT is set. The provider is not
 * registered globally, so packages that look for one, such as Next and Inngest, add no spans.
 *
 * The id of a trace determines whether it is sampled, so all processes choose the same ones. The
 * flag in a client's `traceparent` is ignored.
 * @returns a function that sends the remaining spans, to call before the process ends
 */
export function startTracing(process: "web" | "worker"): () => Promise<void> {
  const root = new TraceIdRatioBasedSampler(env().OTEL_TRACES_SAMPLER_ARG);
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({
      "service.name": "parlance",
      "parlance.process": process,
    }).merge(detectResources({ detectors: [envDetector] })),
    sampler: new ParentBasedSampler({
      root,
      remoteParentSampled: root,
      remoteParentNotSampled: root,
    }),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  const made = provider.getTracer("parlance");
  const storage = new AsyncLocalStorage<Span | undefined>();
  const ended = new WeakSet<Span>();
  reportFailures();

  setTracer({
    start: (name, { kind, parent, attributes = {} }) => {
      const context = parent && parent.length === 55 ? parseTraceParent(parent) : null;
      const within = context
        ? trace.setSpanContext(ROOT_CONTEXT, { ...context, isRemote: true })
        : ROOT_CONTEXT;
      const span = made.startSpan(name, { kind: kinds[kind], attributes }, within);
      const { traceId, spanId, traceFlags } = span.spanContext();
      const started: Span = {
        traceId,
        traceparent: `00-${traceId}-${spanId}-0${traceFlags & 1}`,
        add: (more) => void span.setAttributes(more),
        end: (failure) => {
          if (failure !== undefined)
            span.setStatus({ code: SpanStatusCode.ERROR, message: failure });
          span.end();
          ended.add(started);
        },
      };
      return started;
    },
    within: (span, work) => storage.run(span, work),
    // Timers that a request set run in its span, too, for example to write the request log.
    current: () => {
      const span = storage.getStore();
      return span && !ended.has(span) ? span : undefined;
    },
  });
  return () => Promise.race([provider.shutdown().catch(() => {}), sleep(flushMs)]);
}

function reportFailures(): void {
  let quietUntilMs = 0;
  setGlobalErrorHandler((error) => {
    if (performance.now() < quietUntilMs) return;
    quietUntilMs = performance.now() + quietMs;
    const message = error instanceof Error ? error.message : String(error);
    log.warn({ error: message }, "traces could not be sent to the collector");
  });
}
