import "./v8-flags";
import "./source-maps";
import { flushAnchors } from "@/lib/audit/anchors";
import { reportForeignAuditKeys } from "@/lib/audit/verify-chain";
import { startDelivering } from "@/lib/deliveries/engine/deliver";
import { releaseLeases } from "@/lib/deliveries/engine/release-leases";
import { releaseDocuments } from "@/lib/knowledge/documents/process-document";
import { closeDatabase, setProcessRole } from "@/lib/platform/db";
import { env } from "@/lib/platform/env";
import { log } from "@/lib/platform/log";
import { closeOutboundPools } from "@/lib/platform/outbound-http/outbound-pools";
import { startProcessing } from "@/lib/scheduling/process-documents";
import { recurringJobs } from "@/lib/scheduling/recurring-jobs";
import { repeat } from "@/lib/scheduling/repeat";
import { listenForWakeUps } from "@/lib/scheduling/wake-listener";
import { workerSettings } from "@/lib/scheduling/worker-settings";
import { requireUsableKeys } from "@/lib/secrets/service";
import { requireMigrations } from "@/prisma/require-migrations";
import { untilDatabaseIsPrepared } from "./embedded/release";

// The process that sends webhooks and runs due jobs, separate from the API, so that a burst of
// deliveries does not slow the API down. Any number may run. It stops on SIGTERM or SIGINT, and
// when the process that started it ends.

try {
  env();
} catch (error) {
  refuseToStart(error as Error);
}
const { JOBS, SOLE_WORKER, SHUTDOWN_TIMEOUT_SECONDS, METRICS_PORT, METRICS_HOST } = env();
setProcessRole("worker", workerSettings);
const stopTracing =
  env().OTEL_EXPORTER_OTLP_ENDPOINT &&
  (await import("./tracing/start-tracing")).startTracing("worker");
await untilDatabaseIsPrepared();
await requireMigrations().then(requireUsableKeys).catch(refuseToStart);
void reportForeignAuditKeys();
if (SOLE_WORKER && JOBS === "embedded") {
  const released = await Promise.all([releaseLeases(), releaseDocuments()]).catch(
    (error: Error) => error.message,
  );
  log.info({ released }, "leases of a predecessor were released");
}
// Jobs here create deliveries, too. Inngest's client is large, so it is loaded only when used.
const besideInngest =
  JOBS === "inngest" ? await (await import("./beside-inngest")).startBesideInngest() : null;
if (METRICS_PORT)
  (await import("./metrics/serve-metrics")).serveMetrics({
    port: METRICS_PORT,
    host: METRICS_HOST,
    process: "worker",
    gauges: [
      {
        name: "parlance_deliveries_in_flight",
        help: "Deliveries that this process is sending.",
        read: () => delivering.state().inFlight,
      },
      {
        name: "parlance_deliveries_unrecorded",
        help: "Attempts of this process that have ended and are not in the database yet.",
        read: () => delivering.state().unrecorded,
      },
    ],
  });
const delivering = startDelivering(besideInngest?.delivering);
const processing = startProcessing(besideInngest?.processing);
const listener = besideInngest ? null : listenForWakeUps(delivering.wake, processing.wake);
// Most pauses are whole seconds. Jobs that start together would always run together, each on its own
// connection, and deliveries would wait for them.
const spreadMs = 1_000;
const jobs = Object.entries({ ...recurringJobs, ...besideInngest?.jobs }).map(
  ([name, job], index, { length }) =>
    repeat(name, job.work, { ...job, delayMs: (spreadMs * index) / length }),
);

function refuseToStart(error: Error): never {
  log.fatal({ error: error.message }, "the worker could not start");
  process.exit(1);
}

let isStopping = false;

async function stop(reason: string): Promise<void> {
  if (isStopping) return;
  isStopping = true;
  // Another worker sends the deliveries that are still in progress when their leases end.
  setTimeout(() => {
    log.error(`the worker did not stop within ${SHUTDOWN_TIMEOUT_SECONDS} s`);
    process.exit(1);
  }, SHUTDOWN_TIMEOUT_SECONDS * 1_000).unref();
  log.info({ reason }, "the worker stops: nothing more is claimed");
  await Promise.all([
    delivering.stop(),
    processing.stop(),
    listener?.stop(),
    besideInngest?.stop(),
    ...jobs.map((job) => job.stop()),
  ]);
  await closeOutboundPools();
  await flushAnchors().catch(() => {});
  await closeDatabase();
  if (stopTracing) await stopTracing();
  log.info("the worker has stopped");
  process.exit(0);
}

function stopOn(reason: string): void {
  stop(reason).catch((error: Error) => {
    log.error({ error: error.message }, "the worker did not stop cleanly");
    process.exit(1);
  });
}

process.on("SIGTERM", () => stopOn("SIGTERM"));
process.on("SIGINT", () => stopOn("SIGINT"));
process.on("disconnect", () => stopOn("the process that started it is gone"));

// Last, so that anyone who reads this can stop the worker cleanly.
log.info({ jobs: JOBS }, "the worker is running");
process.send?.("started");
