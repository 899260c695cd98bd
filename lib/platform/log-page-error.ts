import type { Logger } from "pino";
import { log } from "./log";

type PageRequest = { path: string; method: string };
type Context = { routePath: string; routeType: string; renderSource?: string };

/**
 * Writes one line about an error that reached Next: thrown while a page was rendered, or by a route
 * or an action. The visitor sees its digest. A query may contain a secret, and so may the address of
 * a page whose route has a token.
 */
export function logPageError(
  error: unknown,
  { path, method }: PageRequest,
  { routePath, routeType, renderSource }: Context,
  to: Pick<Logger, "error"> = log,
): void {
  const digest = (error as { digest?: unknown } | null)?.digest;
  to.error(
    {
      err: error instanceof Error ? error : new Error(String(error)),
      method,
      path: routePath.includes("[token]") ? routePath : path.split("?")[0],
      route: routePath,
      source: renderSource ?? routeType,
      ...(typeof digest === "string" && { digest }),
    },
    "a page or route failed",
  );
}
