import pino, { type Logger, type LoggerOptions } from "pino";
import { currentSpan } from "./tracing";

/** The parts of the product whose log level can be set separately. Each line names its area. */
export const logAreas = [
  "api",
  "auth",
  "database",
  "deliveries",
  "documents",
  "jobs",
  "mail",
  "rate-limit",
] as const;
export type LogArea = (typeof logAreas)[number];

const levels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
export type LogLevels = { base: string } & { [Area in LogArea]?: string };

/**
 * Parses a level, and levels of areas behind it: `info,deliveries=debug`.
 * @returns null if it is not valid
 */
export function parseLogLevels(text: string): LogLevels | null {
  const parsed: LogLevels = { base: "info" };
  for (const [index, part] of text.split(",").entries()) {
    const [first = "", second] = part.split("=").map((side) => side.trim());
    const level = second ?? first;
    if (!levels.some((known) => known === level)) return null;
    if (second === undefined && index > 0) return null;
    const area = logAreas.find((known) => known === first);
    if (second === undefined) parsed.base = level;
    else if (area) parsed[area] = level;
    else return null;
  }
  return parsed;
}

/**
 * Much of the logged text comes from clients. It is truncated, so that it can neither fill the log
 * nor push out other lines.
 */
const maximumCharacters = 1_000;
const maximumStack = 4_000;
const maximumItems = 50;
const maximumDepth = 4;

/** Longer than any secret, so that none is only partly recognized where the text is cut. */
const beyondCut = 200;

const cutTo = (length: number, text: string) =>
  text.length > length
    ? `${withoutSecrets(text.slice(0, length + beyondCut)).slice(0, length)}… (${text.length} characters)`
    : withoutSecrets(text);

const secretName =
  /^(?:.*(?:secret|password|token)|(?:proxy-)?authorization|(?:set-)?cookie|api[-_]?key)$/i;
const redacted = "[redacted]";

/** API keys, secrets and private keys of webhooks, bearer tokens, and passwords in URLs. */
const secretValue =
  /\b[a-z][a-z0-9]{1,11}_(?:live|test)_[0-9A-Za-z]{20,}|\b(?:whsec|whsk)_[\w+/=-]{16,}|(?<=\bbearer )[\w.~+/=-]{8,}|(?<=:\/\/[^\s:@/]{0,100}:)[^\s@/]+(?=@)/gi;

const withoutSecrets = (text: string) => text.replace(secretValue, redacted);

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
    entries.map(([name, field]) => [
      cutTo(100, name),
      secretName.test(name) ? redacted : capped(field, depth + 1),
    ]),
  );
}

function describeError(error: Error): unknown {
  const { stack, ...fields } = pino.stdSerializers.err(error);
  return {
    ...(capped(fields) as object),
    stack: typeof stack === "string" ? cutTo(maximumStack, stack) : undefined,
  };
}

// An invalid value stops the process where env.ts reads it.
const configured = parseLogLevels(process.env.LOG_LEVEL || "info") ?? { base: "info" };

/** Writes JSON lines. Redacting secrets is only a last resort: no code should log them. */
export const logOptions: LoggerOptions = {
  level: configured.base,
  base: null,
  timestamp: pino.stdTimeFunctions.isoTime,
  // Of a request that is traced.
  mixin: () => {
    const span = currentSpan();
    return span ? { traceId: span.traceId } : {};
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

const ofAreas = new Map<LogArea, Logger>();

/** For commands whose standard output is their result. */
export function silenceLogs(): void {
  for (const each of [log, ...logAreas.map(logOf)]) each.level = "silent";
}

/** The log of an area, at its own level if LOG_LEVEL sets one. */
export function logOf(area: LogArea): Logger {
  const made =
    ofAreas.get(area) ?? log.child({ area }, { level: configured[area] ?? configured.base });
  ofAreas.set(area, made);
  return made;
}
