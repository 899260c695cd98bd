import type { RequestLogWithBodies } from "@/lib/request-logs/schema";

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

type Options = {
  origin: string;
  /** What stands for the key, which is not stored. */
  key: string;
};

/**
 * A logged request as a command. Its body is what was stored: secrets are masked, and a long one is
 * cut off.
 */
export function curlOfRequest(
  { method, path, requestBody, idempotencyKey }: RequestLogWithBodies,
  { origin, key }: Options,
): string {
  return [
    `curl -X ${method} ${quote(`${origin}${path}`)}`,
    `-H ${quote(`Authorization: Bearer ${key}`)}`,
    // The same key would return the stored response instead.
    ...(idempotencyKey ? ['-H "Idempotency-Key: $(uuidgen)"'] : []),
    ...(requestBody
      ? [`-H 'Content-Type: application/json'`, `--data-raw ${quote(requestBody)}`]
      : []),
  ].join(" \\\n  ");
}
