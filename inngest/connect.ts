import { hostname } from "node:os";
import { connect } from "inngest/connect";
import { WebSocket } from "undici";
import { env } from "@/lib/platform/env";
import { log } from "@/lib/platform/log";
import { workerFunctions } from ".";
import { inngest } from "./client";

const retryMs = 10_000;

/**
 * Connects this process to Inngest, which then runs the functions here instead of calling a web
 * process. Does not wait for Inngest, and connects again whenever the connection is lost.
 * @returns a function that waits for the runs in progress, and disconnects
 */
export function connectToInngest(): () => Promise<void> {
  // Node 20 has no WebSocket of its own.
  globalThis.WebSocket ??= WebSocket as unknown as typeof globalThis.WebSocket;
  const { INNGEST_CONNECT_GATEWAY_URL: gatewayUrl } = env();
  let close = async () => {};
  let isStopping = false;

  function start(): void {
    connect({
      apps: [{ client: inngest(), functions: workerFunctions() }],
      instanceId: `${hostname()}-${process.pid}`,
      // The worker closes the connection itself.
      handleShutdownSignals: [],
      // This process mostly waits for others, so a second thread would only cost memory.
      isolateExecution: false,
      ...(gatewayUrl && { gatewayUrl }),
    }).then(
      (connection) => {
        log.info("connected to Inngest, which runs its functions in this process");
        close = () => connection.close();
        if (isStopping) void close();
      },
      (error: Error) => {
        log.error({ error: error.message }, "could not connect to Inngest, and will try again");
        if (!isStopping) setTimeout(start, retryMs).unref();
      },
    );
  }
  start();

  return () => {
    isStopping = true;
    return close();
  };
}
