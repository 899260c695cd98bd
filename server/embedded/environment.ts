import { isLoopbackHost, isLoopbackUrl } from "@/lib/platform/loopback";
import {
  dataDirectory,
  inDataDirectory,
  readJson,
  readOrMakeSecrets,
  type Secrets,
  writeJson,
} from "./data-directory";
import { logFile } from "./log-file";
import { ensureDatabase, type Postgres, postgresUrl, startPostgres } from "./postgres";

const database = "parlance";
const applicationRole = "parlance_app";

/**
 * `ownerUrl` is for migrations, `databaseUrl` for everything else. The role of the latter is made
 * by `grantApplicationRole`.
 */
export type EmbeddedDatabase = {
  ownerUrl: string;
  databaseUrl: string;
  applicationPassword: string;
};

/** Starts the database of the data directory, on the port it had last time if that is free. */
export async function startEmbeddedDatabase(): Promise<EmbeddedDatabase & { postgres: Postgres }> {
  const secrets = readOrMakeSecrets();
  const log = logFile("postgres");
  const postgres = await startPostgres({
    directory: inDataDirectory("postgres"),
    password: secrets.postgresPassword,
    preferredPort: secrets.postgresPort,
    logFile: log.path,
    onRestart: () => log.notice("ended unexpectedly; it starts again"),
    settings: { max_connections: "200", logging_collector: "off" },
  });
  if (postgres.port !== secrets.postgresPort)
    writeJson("secrets.json", { ...secrets, postgresPort: postgres.port });
  await ensureDatabase(postgres, database);
  return { postgres, ...addresses(postgres.port, secrets) };
}

/**
 * The addresses of the data directory's database, running or not; null when there has never been
 * one.
 */
export function embeddedDatabase(): EmbeddedDatabase | null {
  const secrets = readJson<Secrets>("secrets.json");
  return secrets?.postgresPort ? addresses(secrets.postgresPort, secrets) : null;
}

function addresses(
  port: number,
  { postgresPassword, applicationPassword }: Secrets,
): EmbeddedDatabase {
  return {
    ownerUrl: postgresUrl(port, postgresPassword, database),
    databaseUrl: postgresUrl(port, applicationPassword, database, applicationRole),
    applicationPassword,
  };
}

/**
 * What the processes run with: whatever the environment says, and for the rest what makes it work
 * on this machine alone. Empty values count as absent, as everywhere.
 */
export function localEnvironment({
  port,
  databaseUrl,
  isDevelopment,
}: {
  port: number;
  databaseUrl: string;
  isDevelopment: boolean;
}) {
  const given = Object.fromEntries(Object.entries(process.env).filter(([, value]) => value !== ""));
  const { SECRET_KEYS, NEXTAUTH_SECRET, AUDIT_KEYS, MAIL_PAGE_TOKEN } = readOrMakeSecrets();
  // With the embedded database, this is one machine's own: it listens on loopback. Only while it is
  // not meant to be reached under any other name may its webhooks go there and its mails be read by
  // the person who sits at it.
  const host = given.HOST ?? "127.0.0.1";
  const isReachedLocally = [given.APP_URL, given.NEXTAUTH_URL].every(
    (url) => !url || !URL.canParse(url) || isLoopbackUrl(url),
  );
  const isAlone =
    isLoopbackHost(host) && isReachedLocally && Number(given.TRUSTED_PROXY_HOPS ?? 0) === 0;
  const alone = given.DATABASE_URL
    ? {}
    : {
        HOST: host,
        SOLE_WORKER: "true",
        ...(isAlone && { LOOPBACK_WEBHOOKS: "true", MAIL_PAGE: "true" }),
      };
  return {
    NEXTAUTH_URL: given.APP_URL ?? `http://localhost:${port}`,
    SECRET_KEYS,
    NEXTAUTH_SECRET,
    AUDIT_KEYS,
    MAIL_PAGE_TOKEN,
    ...alone,
    ...given,
    DATABASE_URL: databaseUrl,
    DATA_DIR: dataDirectory,
    PORT: String(port),
    NODE_ENV: isDevelopment ? ("development" as const) : ("production" as const),
    NEXT_TELEMETRY_DISABLED: "1",
  };
}
