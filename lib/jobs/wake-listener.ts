import pg from "pg";
import { env } from "@/lib/env";
import { documentsPayload, wakeChannel } from "@/lib/jobs/clock";
import { log } from "@/lib/log";

const reconnectMs = 250;

/**
 * Calls `onWake` whenever a commit has left something to send, `onDocuments` whenever one has left something to process.
 * Only hints: while the connection is away, polling goes on.
 */
export function listenForWakeUps(onWake: () => void, onDocuments: () => void = () => {}) {
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  let reportListening = () => {};
  const listening = new Promise<void>((resolve) => {
    reportListening = resolve;
  });

  async function connect(): Promise<void> {
    const connection = new pg.Client({ connectionString: env().DATABASE_URL, keepAlive: true, application_name: "parlance wake-up" });
    client = connection;
    connection.on("notification", ({ payload }) => (payload === documentsPayload ? onDocuments() : onWake()));
    connection.on("error", (error) => lost(connection, error));
    connection.on("end", () => lost(connection));
    try {
      await connection.connect();
      await connection.query(`LISTEN ${wakeChannel}`);
      reportListening();
      // Whatever was committed while nobody listened.
      onWake();
      onDocuments();
    } catch (error) {
      lost(connection, error as Error);
    }
  }

  function lost(connection: pg.Client, error?: Error): void {
    if (client !== connection || isStopped) return;
    client = undefined;
    if (error) log.warn({ error: error.message }, "the connection that hears of new deliveries broke");
    connection.end().catch(() => {});
    timer = setTimeout(() => void connect(), reconnectMs);
  }

  void connect();

  async function stop(): Promise<void> {
    isStopped = true;
    clearTimeout(timer);
    await client?.end().catch(() => {});
  }

  /** `listening` resolves when the first connection listens. */
  return { stop, listening };
}
