import "./v8-flags";
import "./source-maps";
import { startKeyCache, stopKeyCache } from "@/lib/api-keys/key-cache";
import { flushKeyLastUsed } from "@/lib/api-keys/last-used";
import { flushAnchors } from "@/lib/audit/anchors";
import { reportForeignAuditKeys } from "@/lib/audit/verify-chain";
import { flushRefusedAttempts } from "@/lib/auth/refused-attempts";
import { stopAttempting } from "@/lib/deliveries/engine/stop-attempting";
import { closeDatabase } from "@/lib/platform/db";
import { env } from "@/lib/platform/env";
import { log } from "@/lib/platform/log";
import { probeRateLimitStore } from "@/lib/platform/rate-limit/rate-limiter";
import { announceStop } from "@/lib/readiness/service";
import { flushRequestLogs } from "@/lib/request-logs/request-log-buffer";
import { requireUsableKeys } from "@/lib/secrets/service";
import { flushRequestCounts } from "@/lib/usage/count-requests";
import { requireMigrations } from "@/prisma/require-migrations";
import { untilDatabaseIsPrepared } from "./embedded/release";
import { listen } from "./listen";
import { nextPagesOnDemand } from "./next-pages";
import { createWebServer, drain } from "./web-server";

async function main(): Promise<void> {
  const { PORT, HOST, TRUSTED_PROXY_HOPS, JOBS } = env();
  const { SHUTDOWN_DELAY_SECONDS, SHUTDOWN_TIMEOUT_SECONDS } = env();
  const { METRICS_PORT: metricsPort, METRICS_HOST, OTEL_EXPORTER_OTLP_ENDPOINT } = env();
  // Before the first connection, whose statements it traces.
  const stopTracing =
    OTEL_EXPORTER_OTLP_ENDPOINT && (await import("./tracing/start-tracing")).startTracing("web");
  await untilDatabaseIsPrepared();
  await requireMigrations();
  await requireUsableKeys();
  if (metricsPort) {
    const { serveMetrics } = await import("./metrics/serve-metrics");
    serveMetrics({ port: metricsPort, host: METRICS_HOST, process: "web" });
  }
  // Its client is large, so it is loaded only when used.
  if (JOBS === "inngest") (await import("@/inngest/inngest-clock")).registerInngestClock();
  // After an action, Next requests the next page from itself, over HTTP and with the visitor's
  // cookies. Without this address, it would send them to whatever listens on port 3000.
  const isEveryAddress = !HOST || HOST === "0.0.0.0" || HOST === "::";
  const servePages = nextPagesOnDemand({
    hostname: isEveryAddress ? "127.0.0.1" : HOST,
    port: PORT,
  });
  const server = createWebServer({ servePages, trustedProxyHops: TRUSTED_PROXY_HOPS });
  await listen(server, PORT, HOST);
  log.info({ port: PORT }, "web is listening");
  process.send?.("started");
  startKeyCache();
  void probeRateLimitStore();
  void reportForeignAuditKeys();

  // A load balancer needs a moment to notice, and a connection that arrives while the port closes
  // is reset. A second signal ends the wait.
  const stopSoon = () => {
    announceStop();
    if (SHUTDOWN_DELAY_SECONDS > 0)
      log.info(
        { seconds: SHUTDOWN_DELAY_SECONDS },
        "web will stop: /ready is 503, and requests are served until the delay is over",
      );
    setTimeout(stop, SHUTDOWN_DELAY_SECONDS * 1_000);
    process.on("SIGTERM", stop);
  };
  let isStopping = false;
  const stop = async () => {
    if (isStopping) return;
    isStopping = true;
    setTimeout(() => process.exit(1), SHUTDOWN_TIMEOUT_SECONDS * 1_000).unref();
    log.info("web stops: it finishes the requests in progress");
    stopAttempting();
    await drain(server);
    await Promise.all([
      flushKeyLastUsed(),
      flushRequestCounts(),
      flushRequestLogs(),
      flushRefusedAttempts(),
    ]);
    await flushAnchors().catch(() => {});
    stopKeyCache();
    await closeDatabase().catch(() => {});
    if (stopTracing) await stopTracing();
    log.info("web has stopped");
    process.exit(0);
  };
  process.once("SIGTERM", stopSoon);
  process.on("SIGINT", stop);
  // A supervised process must not outlive its supervisor.
  process.on("disconnect", stop);
}

main().catch((error: Error) => {
  log.fatal({ error: error.message }, "web could not start");
  process.exit(1);
});
