import pino, { type LoggerOptions } from "pino";

/**
 * Much of the logged text comes from clients. It is truncated, so that it can neither fill the log
 * nor push out other lines.
 */
const maximumCharacters = 1_000;
const maximumStack = 4_000;
const maximumItems = 50;
const maximumDepth = 4;

const cutTo = (length: number, text: string) =>
  text.length > length ? `${text.slice(0, length)}… (${text.length} characters)` : text;

function capped(value: unknown, depth = 0): unknown {
  if (typeof value === "string") return cutTo(maximumCharacters, value);
  // Dates serialize themselves, and errors have their own serializer.
  if (
    typeof value !== "object" ||
    value === null ||
    value instanceof Error ||
    value instanceof Date
  )
    return value;
  if (ArrayBuffer.isView(value)) return `${value.byteLength} bytes`;
  if (depth === maximumDepth) return "…";
  if (Array.isArray(value))
    return value.slice(0, maximumItems).map((item) => capped(item, depth + 1));
  const entries = Object.entries(value).slice(0, maximumItems);
  return Object.fromEntries(
    entries.map(([name, field]) => [cutTo(100, name), capped(field, depth + 1)]),
  );
}

function describeError(error: Error): unknown {
  const { stack, ...fields } = pino.stdSerializers.err(error);
  return {
    ...(capped(fields) as object),
    stack: typeof stack === "string" ? cutTo(maximumStack, stack) : undefined,
  };
}

/** Writes JSON lines. Redacting secrets is only a last resort: no code should log them. */
export const logOptions: LoggerOptions = {
  level: process.env.LOG_LEVEL || "info",
  base: null,
  timestamp: pino.stdTimeFunctions.isoTime,
  redact: {
    paths: ["secret", "password", "authorization", "*.secret", "*.password", "*.authorization"],
    censor: "[redacted]",
  },
  formatters: { log: (fields) => capped(fields) as Record<string, unknown> },
  serializers: { err: describeError },
  hooks: {
    logMethod([first, ...rest], method) {
      // An error without a message becomes the line's message.
      const given =
        first instanceof Error && rest.length === 0
          ? [{ err: first }, first.message]
          : [first, ...rest];
      const cut = given.map((part: unknown) =>
        typeof part === "string" ? cutTo(maximumCharacters, part) : part,
      );
      method.apply(this, cut as Parameters<typeof method>);
    },
  },
};

/** On standard output. */
export const log = pino(logOptions);
