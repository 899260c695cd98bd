import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { collectDefaultMetrics, Registry } from "prom-client";
import { log } from "@/lib/platform/log";
import { setMeter } from "@/lib/platform/meter";
import { health } from "@/lib/readiness/service";
import { addGauges, addProcessGauges, backlogGauges, type Reading } from "./gauges";
import { prometheusMeter } from "./prometheus-meter";

/** During a restart, the process before may still have the port. */
const portRetryMs = 5_000;

type Options = {
  port: number;
  host: string;
  process: "web" | "worker";
  /** Numbers that only this process has. */
  gauges?: Reading[];
};

/**
 * Starts to count, and serves the result at `/metrics` on a port of its own, next to a liveness probe
 * at `/health`, which a worker has nowhere else. Loaded only when METRICS_PORT is set. A port that is
 * taken does not stop the process.
 */
export function serveMetrics({ port, host, process, gauges = [] }: Options): void {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  addProcessGauges(registry, process);
  addGauges(registry, process === "worker" ? [...gauges, ...backlogGauges] : gauges);
  setMeter(prometheusMeter(registry));

  const server = createServer((request, response) => void respond(registry, request, response));
  server.on("error", (error) => {
    log.warn({ port, error: error.message }, "metrics cannot be served yet");
    setTimeout(() => server.listen(port, host), portRetryMs).unref();
  });
  server.on("listening", () => log.info({ port, host }, "metrics are served"));
  server.listen(port, host);
  // It must not keep a process running that has nothing else to do.
  server.unref();
}

async function respond(
  registry: Registry,
  { method, url }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const isRead = method === "GET" || method === "HEAD";
  if (isRead && url === "/health") return void response.writeHead(health().status).end();
  if (!isRead || url !== "/metrics") return void response.writeHead(404).end();
  try {
    const body = await registry.metrics();
    response.writeHead(200, { "Content-Type": registry.contentType }).end(body);
  } catch (error) {
    log.warn({ error: (error as Error).message }, "metrics could not be read");
    response.writeHead(500).end();
  }
}
