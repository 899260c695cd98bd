import type pg from "pg";
import { logOf } from "./log";

const log = logOf("database");

type Settings = Record<string, string | number>;
type SessionOptions = {
  /** Settings that are the same for every process of this service. */
  settings: Settings;
  /**
   * Settings of this process only, which are not applied to a session that other processes may get.
   */
  ownSettings: Settings;
  /** What the operator can change if this connection leads to a pooler. */
  setting: "DATABASE_URL" | "DATABASE_DIRECT_URL" | "DATABASE_REPLICA_URL";
  /** The pooler is meant, because what needs its own session has another address. */
  isPoolerExpected: boolean;
};

let isPoolerReported = false;

/**
 * Prepares a new connection. Settings are sent as statements, because poolers refuse or ignore
 * startup options.
 *
 * A pooler in transaction mode shares sessions between processes, so one client's prepared
 * statements conflict with another's. Statements are then sent without names, unless the pooler
 * renames them itself.
 */
export async function prepareSession(
  client: pg.ClientBase,
  { settings, ownSettings, setting, isPoolerExpected }: SessionOptions,
): Promise<void> {
  if (!(await set(client, settings))) {
    if (Object.keys(ownSettings).length > 0) await set(client, ownSettings);
    return;
  }
  const keepsNamesApart = await hidesNames(client);
  if (!keepsNamesApart) sendUnnamed(client);
  if (isPoolerReported) return;
  isPoolerReported = true;
  const found = `${setting} leads to a connection pooler`;
  if (isPoolerExpected) log.info({ keepsNamesApart }, found);
  else log.warn({ keepsNamesApart }, `${found}. ${withoutSession}${advice[setting]}`);
}

const withoutSession =
  "In transaction mode it carries neither notifications nor settings of a session";
const advice = {
  DATABASE_URL:
    ", so set DATABASE_DIRECT_URL to PostgreSQL's own address for the worker, notifications and migrations",
  DATABASE_DIRECT_URL: ", so set it to PostgreSQL's own address",
  DATABASE_REPLICA_URL: "",
};

/**
 * Applies settings to the session. @returns whether the session is served by another server process
 * than the one that the connection reported, as behind a pooler
 */
async function set(client: pg.ClientBase, settings: Settings): Promise<boolean> {
  const calls = Object.keys(settings).map(
    (_name, index) => `set_config($${2 * index + 1}, $${2 * index + 2}, false)`,
  );
  const text = `SELECT ${["pg_backend_pid() AS pid", ...calls].join(", ")}`;
  const { rows } = await client.query<{ pid: number }>(
    text,
    Object.entries(settings).flat().map(String),
  );
  return isPooled(client, rows[0]?.pid);
}

/** PostgreSQL reports its process id to each connection. A pooler invents one. */
export const isPooled = (client: pg.ClientBase, pid: number | undefined) =>
  pid !== (client as unknown as { processID: number }).processID;

/**
 * Whether the pooler renames prepared statements, as PgBouncer does with `max_prepared_statements`.
 */
async function hidesNames(client: pg.ClientBase): Promise<boolean> {
  const name = "parlance_pooler";
  const text = `SELECT 1 FROM pg_prepared_statements WHERE name = '${name}'`;
  // A conflict with another client's statement of this name means the same.
  return client.query({ name, text }).then(
    ({ rowCount }) => rowCount === 0,
    () => false,
  );
}

function sendUnnamed(client: pg.ClientBase): void {
  const query = client.query.bind(client) as (...args: unknown[]) => unknown;
  const unnamed = (config: unknown, ...rest: unknown[]) =>
    query(typeof config === "object" ? { ...config, name: undefined } : config, ...rest);
  client.query = unnamed as typeof client.query;
}
