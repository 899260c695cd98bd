import { dataDirectory, inDataDirectory, readOrMakeSecrets, writeJson } from "./data-directory";
import { ensureDatabase, type Postgres, startPostgres } from "./postgres";

/** Starts the database of the data directory, on the port it had last time if that is free. */
export async function startEmbeddedDatabase(): Promise<{ postgres: Postgres; databaseUrl: string }> {
  const secrets = readOrMakeSecrets();
  const postgres = await startPostgres({
    directory: inDataDirectory("postgres"),
    password: secrets.postgresPassword,
    preferredPort: secrets.postgresPort,
    logFile: inDataDirectory("logs", "postgres.log"),
    settings: { max_connections: "200", logging_collector: "off" },
  });
  if (postgres.port !== secrets.postgresPort) writeJson("secrets.json", { ...secrets, postgresPort: postgres.port });
  await ensureDatabase(postgres, "parlance");
  return { postgres, databaseUrl: postgres.url("parlance") };
}

/**
 * What the processes run with: whatever the environment says, and for the rest what makes it work on this machine alone.
 * Empty values count as absent, as everywhere.
 */
export function localEnvironment({ port, databaseUrl, isDevelopment }: { port: number; databaseUrl: string; isDevelopment: boolean }) {
  const given = Object.fromEntries(Object.entries(process.env).filter(([, value]) => value !== ""));
  const { SECRET_KEYS, NEXTAUTH_SECRET } = readOrMakeSecrets();
  // Loopback only where nobody but this machine's user can have made the webhooks: with a database of one's own, one says so.
  const loopback = given.DATABASE_URL ? {} : { WEBHOOK_ALLOWED_PRIVATE_CIDRS: "127.0.0.0/8,::1/128" };
  return {
    NEXTAUTH_URL: given.APP_URL ?? `http://localhost:${port}`,
    SECRET_KEYS,
    NEXTAUTH_SECRET,
    ...loopback,
    ...given,
    DATABASE_URL: databaseUrl,
    DATA_DIR: dataDirectory,
    PORT: String(port),
    NODE_ENV: isDevelopment ? ("development" as const) : ("production" as const),
    NEXT_TELEMETRY_DISABLED: "1",
  };
}
