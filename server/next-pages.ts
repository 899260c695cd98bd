import { type IncomingMessage, Server, type ServerResponse } from "node:http";
import { log } from "@/lib/platform/log";
import { meter, statusClass } from "@/lib/platform/meter";
import { edgeMarker } from "./edge/edge-marker";

type Options = { hostname: string; port: number };
type Handle = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/**
 * Next's own server, loaded with the first request for it. The API therefore responds sooner after
 * a start or a crash, and a process that serves only the API uses less memory.
 */
export function nextPagesOnDemand(options: Options): Handle {
  let loading: Promise<Handle> | undefined;

  return async (request, response) => {
    if (meter()) measure(response);
    try {
      loading ??= loadPages(options);
      const handle = await loading;
      await handle(request, response);
    } catch (error) {
      loading = undefined;
      log.error({ error: (error as Error).message }, "the pages cannot be served");
      if (!response.headersSent) response.writeHead(503, { "Retry-After": "5" });
      response.end();
    }
  };
}

function measure(response: ServerResponse): void {
  const startedMs = performance.now();
  response.once("finish", () =>
    meter()?.observe("pageDuration", performance.now() - startedMs, {
      status: statusClass(response.statusCode),
    }),
  );
}

async function loadPages(options: Options): Promise<Handle> {
  process.env[edgeMarker] = "true";
  const { default: next } = await import("next");
  // Next listens for upgrades on the server it is given. On ours, requests with an `Upgrade` header
  // would then get no response.
  const httpServer = new Server();
  const pages = next({ dev: false, dir: process.cwd(), quiet: true, httpServer, ...options });
  await pages.prepare();
  return pages.getRequestHandler();
}
