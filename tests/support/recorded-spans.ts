import { AsyncLocalStorage } from "node:async_hooks";
import { type Span, setTracer, type Tracer } from "@/lib/platform/tracing";
import { newId } from "@/lib/resources/ids";

export type RecordedSpan = {
  name: string;
  parent: string | null;
  /** How many requests share the statement. */
  size?: unknown;
  failure?: string;
};

type Within = <Result>(request: string | undefined, work: () => Result) => Result;

/**
 * Records the spans that end while `work` runs.
 * @param work gets a function that runs something in the trace of a request with this name, or in none
 */
export async function recordSpans(
  work: (within: Within) => Promise<unknown>,
): Promise<RecordedSpan[]> {
  const recorded: RecordedSpan[] = [];
  const storage = new AsyncLocalStorage<Span | undefined>();
  const spanOf = (traceparent: string, end: Span["end"] = () => {}): Span => ({
    traceparent,
    traceId: "",
    add: () => {},
    end,
  });
  const tracer: Tracer = {
    start: (name, { parent, attributes }) => {
      const entry = { name, parent, size: attributes?.["db.operation.batch.size"] };
      return spanOf(
        newId("event"),
        (failure) => void recorded.push({ ...entry, ...(failure && { failure }) }),
      );
    },
    within: (span, run) => storage.run(span, run),
    current: () => storage.getStore(),
  };
  setTracer(tracer);
  try {
    await work((request, run) => tracer.within(request ? spanOf(request) : undefined, run));
  } finally {
    setTracer(undefined as never);
  }
  return recorded;
}
