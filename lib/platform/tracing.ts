import type pg from "pg";
import { sqlState } from "./sql-errors";

// Traces of requests, their statements and the delivery attempts that they cause. The tracer exists
// only if OTEL_EXPORTER_OTLP_ENDPOINT is set. Otherwise, each place that would use it costs one
// property read.

export type Attributes = Record<string, string | number | boolean>;

export type Span = {
  /** The W3C header that continues the trace from this span. */
  traceparent: string;
  traceId: string;
  add: (attributes: Attributes) => void;
  /** @param failure what went wrong, if it did */
  end: (failure?: string) => void;
};

export type SpanOptions = {
  /** `server` for what this process was asked to do, `client` for what it asks of another. */
  kind: "server" | "client";
  /**
   * The W3C header of the span that caused it. One that is not valid is ignored. Without it, a new
   * trace starts.
   */
  parent: string | null;
  attributes?: Attributes;
};

export type Tracer = {
  start: (name: string, options: SpanOptions) => Span;
  /** Everything that `work` calls runs in the span, or in none. */
  within: <Result>(span: Span | undefined, work: () => Result) => Result;
  current: () => Span | undefined;
};

// On globalThis for the reason given in lib/platform/db.ts.
const shared = globalThis as { parlanceTracer?: Tracer };

export const tracer = (): Tracer | undefined => shared.parlanceTracer;

export function setTracer(made: Tracer): void {
  shared.parlanceTracer = made;
}

/** The span of the request that is being handled, if it is traced. */
export const currentSpan = (): Span | undefined => shared.parlanceTracer?.current();

type RunQuery = (...args: unknown[]) => unknown;

/**
 * Adds a span for each statement of a traced request. A pool passes its own queries on to a client
 * with a callback, so only those without one are statements of their own.
 */
export function traceStatements(pool: pg.Pool, tracing: Tracer): void {
  const traced =
    (run: RunQuery): RunQuery =>
    (...args) => {
      const parent = tracing.current();
      if (!parent || typeof args.at(-1) === "function") return run(...args);
      const span = startStatement(tracing, parent, args[0]);
      return (run(...args) as Promise<unknown>).then(
        (result) => {
          span.end();
          return result;
        },
        (error: Error) => {
          // The message can quote what a client sent.
          span.end(sqlState(error) ?? error.name);
          throw error;
        },
      );
    };
  const trace = (target: { query: unknown }) => {
    target.query = traced((target.query as RunQuery).bind(target));
  };
  trace(pool);
  pool.on("connect", trace);
}

const maximumStatement = 300;
const digest = /_[0-9a-f]{20}$/;

/** Prisma's statements have no name of their own, so they are named after their first word. */
function startStatement(tracing: Tracer, parent: Span, query: unknown): Span {
  const { name = "", text = "" } = (typeof query === "string" ? { text: query } : query) as {
    name?: string;
    text?: string;
  };
  const isNamed = name !== "" && !name.startsWith("prisma_");
  const start = text.slice(0, maximumStatement);
  return tracing.start(isNamed ? name.replace(digest, "") : (/\w+/.exec(start)?.[0] ?? "SQL"), {
    kind: "client",
    parent: parent.traceparent,
    attributes: { "db.system.name": "postgresql", ...(!isNamed && { "db.query.text": start }) },
  });
}
