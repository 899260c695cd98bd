import pg from "pg";
import { connectionOptions, connectTimeoutMs } from "./db";
import { logOf } from "./log";
import { destroyConnection, watchConnection } from "./watch-connection";

const log = logOf("database");

const reconnectMs = 250;
/**
 * A connection that only listens would not notice that the other end is gone, so it sends a query
 * every second.
 */
const heartbeatMs = 1_000;

/** Runs a statement, and returns its rows. */
export type RunQuery = <Row extends pg.QueryResultRow>(
  text: string,
  values?: unknown[],
) => Promise<Row[]>;

type Options = {
  /** Shown in PostgreSQL's list of connections. */
  name: string;
  channel: string;
  onNotification: (payload: string | undefined) => void;
  /** Notifications arrive from now on; earlier ones were missed. `query` runs on `connection`. */
  onConnected?: (connection: pg.Client, query: RunQuery) => void;
  onLost?: () => void;
};

/** Listens on a channel with its own connection, and reconnects until stopped. */
export function listenOn({ name, channel, onNotification, onConnected, onLost }: Options) {
  let client: pg.Client | undefined;
  let retry: NodeJS.Timeout | undefined;
  let heartbeat: NodeJS.Timeout | undefined;
  let isStopped = false;
  let isLossReported = false;
  let reportListening = () => {};
  const listening = new Promise<void>((resolve) => {
    reportListening = resolve;
  });

  async function connect(): Promise<void> {
    const connection = new pg.Client({
      ...connectionOptions({ isDirect: true }),
      application_name: `parlance ${name}`,
    });
    client = connection;
    connection.on("notification", ({ payload }) => onNotification(payload));
    connection.on("error", (error) => lost(connection, error));
    connection.on("end", () => lost(connection));
    try {
      await connection.connect();
      connection.once("end", watchConnection(connection, connectTimeoutMs()));
      await connection.query(`LISTEN ${channel}`);
    } catch (error) {
      return lost(connection, error as Error);
    }
    if (client !== connection) return;
    const query = oneAtATime(connection);
    beat(connection, query);
    if (isLossReported) log.info({ channel }, "notifications arrive again");
    isLossReported = false;
    reportListening();
    onConnected?.(connection, query);
  }

  function beat(connection: pg.Client, query: RunQuery): void {
    heartbeat = setTimeout(() => {
      query("SELECT 1").then(
        () => client === connection && beat(connection, query),
        (error: Error) => lost(connection, error),
      );
    }, heartbeatMs).unref();
  }

  function lost(connection: pg.Client, error?: Error): void {
    if (client !== connection || isStopped) return;
    client = undefined;
    clearTimeout(heartbeat);
    // Once per outage: it is tried four times a second.
    log[isLossReported ? "debug" : "warn"](
      { error: error?.message, channel },
      "the connection that listens for notifications was lost and reconnects",
    );
    isLossReported = true;
    destroyConnection(connection);
    onLost?.();
    retry = setTimeout(() => void connect(), reconnectMs).unref();
  }

  void connect();

  function stop(): void {
    isStopped = true;
    clearTimeout(retry);
    clearTimeout(heartbeat);
    if (client) destroyConnection(client);
    client = undefined;
  }

  /** `listening` resolves when the first connection listens. */
  return { stop, listening };
}

/** A statement waits for those before it. pg's own queue is deprecated. */
function oneAtATime(connection: pg.Client): RunQuery {
  let last: Promise<unknown> = Promise.resolve();
  return (text, values) => {
    const rows = last.then(async () => (await connection.query(text, values)).rows);
    last = rows.catch(() => {});
    return rows;
  };
}
