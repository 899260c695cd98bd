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
import { ensureDatabase, type Postgres, postgresUrl, preparePostgres } from "./postgres";

const database = "parlance";
const applicationRole = "parlance_app";

/**
 * `ownerUrl` is for migrations, `databaseUrl` for everything else. `grantApplicationRole` creates
 * the role of the latter.
 */
export type EmbeddedDatabase = {
  ownerUrl: string;
  databaseUrl: string;
  applicationPassword: string;
};

export type StartingDatabase = EmbeddedDatabase & { started: Promise<Postgres> };

/**
 * Starts the database of the data directory, on its previous port if that is free. Its addresses are
 * known before it accepts connections.
 */
export async function startEmbeddedDatabase(): Promise<StartingDatabase> {
  const secrets = readOrMakeSecrets();
  const log = logFile("postgres");
  const { port, start } = await preparePostgres({
    directory: inDataDirectory("postgres"),
    password: secrets.postgresPassword,
    preferredPort: secrets.postgresPort,
    logFile: log.path,
    onRestart: () => log.notice("ended unexpectedly; it starts again"),
    settings: { max_connections: "200", logging_collector: "off" },
  });
  const started = start().then(async (postgres) => {
    if (port !== secrets.postgresPort)
      writeJson("secrets.json", { ...secrets, postgresPort: port });
    await ensureDatabase(postgres, database);
    return postgres;
  });
  return { started, ...addresses(port, secrets) };
}

/** The URLs of the data directory's database, running or not; null if there has never been one. */
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
 * The environment of the processes: the given variables, and defaults that work on this machine
 * alone. Empty values count as absent, as everywhere.
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
  // With the embedded database, the server listens on loopback. Webhooks may reach loopback, and
  // mails can be read on a page, only as long as no setting gives the server another name.
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
