import type { IncomingMessage, ServerResponse } from "node:http";
import { bodyFailure } from "@/lib/api/read-request";
import { throttleAddress } from "@/lib/platform/client-address";
import { AppError } from "@/lib/platform/errors";
import { logOf } from "@/lib/platform/log";
import { rateLimiter } from "@/lib/platform/rate-limit/rate-limiter";
import { sendProblem } from "./connection";

const log = logOf("api");

const kib = 1_024;

/** Body limits by path. Other paths have the API's limit. */
const limits: [path: RegExp, bytes: number][] = [
  [/^\/api\/auth(\/|$)/i, 16 * kib],
  [/^\/api\/inngest(\/|$)/i, 1_024 * kib],
];
const usualLimit = 256 * kib;

/**
 * The handlers of uploads check the sender before they read the file, and limit the size as they
 * read.
 */
const upload =
  /^\/api\/dashboard\/[^/]+\/[^/]+\/(files|knowledge-bases\/[^/]+\/documents(\/[^/]+\/file)?)$/;

export const acceptsDashboardUpload = (path: string): boolean => upload.test(path);

function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers["content-length"];
  return headers["transfer-encoding"] !== undefined || (length !== undefined && length !== "0");
}

/**
 * Passes a request to Next once its whole body has arrived, and only if the body is not too large:
 * the code that reads bodies there (actions, next-auth, Inngest's handler) has no limit.
 */
export function bufferBody(
  request: IncomingMessage,
  response: ServerResponse,
  next: () => void,
): void {
  const [path = ""] = (request.url ?? "").split("?");
  if (!hasBody(request)) return void next();
  if (acceptsDashboardUpload(path)) {
    // The rest of a refused file must not be parsed as the next request.
    response.shouldKeepAlive = false;
    return void next();
  }
  const [, limit] = limits.find(([pattern]) => pattern.test(path)) ?? [null, usualLimit];
  const refuse = (error: AppError) => sendProblem(request, response, error);
  const tooLarge = () => {
    refuse(new AppError("payload-too-large", `The body must be at most ${limit / kib} KiB.`));
    void noteLargeBody(request, path, limit);
  };
  if (Number(request.headers["content-length"] ?? 0) > limit) return void tooLarge();

  const { push } = request;
  const held: Buffer[] = [];
  let bytes = 0;
  const fail = (error: Error) => refuse(bodyFailure(error));
  request.once("error", fail);
  request.push = (chunk: Buffer | null) => {
    // The rest of a refused body is discarded.
    if (response.headersSent) return true;
    if (chunk) {
      bytes += chunk.length;
      if (bytes <= limit) held.push(chunk);
      else tooLarge();
      return true;
    }
    request.off("error", fail);
    request.push = push;
    for (const part of held) request.push(part);
    request.push(null);
    next();
    return true;
  };
  // Starts reading, for clients that wait for `100 Continue`.
  request.read(0);
}

/**
 * Logs one line per minute and network: anyone can send such bodies, and they must not fill the
 * log.
 */
async function noteLargeBody(
  { headers }: IncomingMessage,
  path: string,
  limit: number,
): Promise<void> {
  const address = String(headers["x-forwarded-for"] ?? "") || null;
  try {
    const { isAllowed } = await rateLimiter().take(
      `trace:large-body:${throttleAddress(address)}`,
      1,
      60_000,
    );
    if (isAllowed) log.warn({ path, limit, address }, "a request body was refused as too large");
  } catch (error) {
    log.error({ error: (error as Error).message }, "a refused request body could not be counted");
  }
}
