import { env } from "@/lib/platform/env";

/**
 * A request that waits longer than this for a connection is written to the log without what it
 * said (request-log-buffer.ts).
 */
export const lateMs = 7_000;

/**
 * How long after a response its request can appear in the log with what it said: the statement may
 * take as long as any other. Redacting a message and erasing a customer clear the log this much later.
 * 15 seconds by default.
 */
export const logDelaySeconds = (): number =>
  Math.ceil((lateMs + env().DATABASE_STATEMENT_TIMEOUT_MS) / 1_000) + 1;
