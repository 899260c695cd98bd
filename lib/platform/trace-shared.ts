import { sqlState } from "./sql-errors";
import { type Span, tracer } from "./tracing";

/**
 * Adds a statement that several requests share to the trace of each.
 * @param spans those of the requests
 */
export async function traceShared<Result>(
  name: string,
  spans: readonly (Span | undefined)[],
  work: () => Promise<Result>,
): Promise<Result> {
  const tracing = tracer();
  if (!tracing) return work();
  const started = spans.flatMap((span) =>
    span
      ? tracing.start(name, {
          kind: "client",
          parent: span.traceparent,
          attributes: {
            "db.system.name": "postgresql",
            ...(spans.length > 1 && { "db.operation.batch.size": spans.length }),
          },
        })
      : [],
  );
  try {
    const result = await tracing.within(undefined, work);
    for (const span of started) span.end();
    return result;
  } catch (error) {
    for (const span of started) span.end(sqlState(error) ?? (error as Error).name);
    throw error;
  }
}
