import { setTimeout as sleep } from "node:timers/promises";
import { Agent, FormData, request } from "undici";
import type { ApiResponse, SentRequest } from "./history";

const requestTimeoutMs = 15_000;
const firstRetryMs = 10;
const longestRetryMs = 160;
/** If there is no response for this long, the server is not recovering. */
const patienceMs = 120_000;

export type Client = ReturnType<typeof newClient>;

/**
 * Calls the API as a careful client does. `onRetry` is called for every retried request.
 */
export function newClient({
  url,
  key,
  onRetry = () => {},
}: {
  url: string;
  key: string;
  onRetry?: () => void;
}) {
  const dispatcher = new Agent({ connections: 64, connect: { timeout: 2_000 } });

  /**
   * Sends once. @returns null if the outcome is unknown: no response, or a server error
   */
  async function send({
    method,
    path,
    body,
    key: idempotencyKey,
  }: SentRequest): Promise<ApiResponse | null> {
    const headers: Record<string, string> = { authorization: `Bearer ${key}` };
    if (idempotencyKey) headers["idempotency-key"] = idempotencyKey;
    if (typeof body === "string") headers["content-type"] = "application/json";
    try {
      const signal = AbortSignal.timeout(requestTimeoutMs);
      const response = await request(`${url}/v1/public${path}`, {
        dispatcher,
        method,
        headers,
        body: toBody(body),
        signal,
      });
      const text = await response.body.text();
      if (response.statusCode >= 500) return null;
      return {
        status: response.statusCode,
        text,
        isReplay: response.headers["idempotent-replayed"] === "true",
      };
    } catch {
      return null;
    }
  }

  /** Retries with the same idempotency key until there is a response. */
  async function insist(sent: SentRequest): Promise<ApiResponse> {
    const deadline = Date.now() + patienceMs;
    for (
      let retryMs = firstRetryMs;
      Date.now() < deadline;
      retryMs = Math.min(retryMs * 2, longestRetryMs)
    ) {
      const response = await send(sent);
      if (response && !isInProgress(response)) return response;
      onRetry();
      await sleep(retryMs);
    }
    throw new Error(`${sent.method} ${sent.path} got no response within ${patienceMs / 1000} s`);
  }

  return { send, insist, close: () => dispatcher.destroy() };
}

const isInProgress = ({ status, text }: ApiResponse) =>
  status === 409 && text.includes("idempotency-in-progress");

function toBody(body: SentRequest["body"]): string | FormData | null {
  if (body === null || typeof body === "string") return body;
  const form = new FormData();
  form.append("file", new File([body.content], body.fileName));
  return form;
}
