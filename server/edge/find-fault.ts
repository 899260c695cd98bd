import type { IncomingMessage } from "node:http";
import { AppError } from "@/lib/platform/errors";

export const serverMethods = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";

export const malformed = (detail: string) => new AppError("malformed-request", detail);

export const isBelow = (base: string, url: string) =>
  url.startsWith(base) && /^([/?]|$)/.test(url.slice(base.length));

/**
 * Next would redirect a path that starts with several slashes, and a client would lose its body and
 * key in the redirect.
 */
export const isOfApi = (url: string) =>
  isBelow("/v1", url.startsWith("//") ? url.replace(/^\/+/, "/") : url);

/** Finds what is wrong with a request, no matter which handler it is for. */
export function findFault(
  { method, httpVersion, headers }: IncomingMessage,
  url: string,
): AppError | null {
  if (headers.host === undefined && httpVersion === "1.1")
    return malformed("HTTP/1.1 requires a Host header.");
  if (!url.startsWith("/")) return malformed("The request target must be a path.");
  // A `Request` cannot have this method.
  if (method === "TRACE")
    return new AppError(
      "method-not-allowed",
      "TRACE is not supported.",
      {},
      { Allow: "GET, HEAD, POST, PATCH, DELETE" },
    );
  // In the API such a path is just unknown, but Next fails on it.
  if (url.includes("%") && !isOfApi(url) && !isDecodable(url))
    return malformed("The path is not valid percent-encoded UTF-8.");
  return null;
}

function isDecodable(url: string): boolean {
  try {
    decodeURIComponent(url.split("?")[0] ?? "");
    return true;
  } catch {
    return false;
  }
}
