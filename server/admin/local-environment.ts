import { type DemoFile, dataDirectory, readJson, type Secrets } from "../embedded/data-directory";
import { embeddedDatabase, localEnvironment } from "../embedded/environment";

/**
 * Gives this process the environment of the `npm start` processes: the embedded database and the
 * generated secrets, unless the environment sets others.
 * @throws if there is neither a DATABASE_URL nor a data directory
 */
export function loadLocalEnvironment(): void {
  const secrets = readJson<Secrets>("secrets.json");
  if (process.env.DATABASE_URL) {
    process.env.SECRET_KEYS ||= secrets?.SECRET_KEYS ?? "";
    process.env.AUDIT_KEYS ||= secrets?.AUDIT_KEYS ?? "";
    process.env.NEXTAUTH_SECRET ||= secrets?.NEXTAUTH_SECRET ?? "";
    process.env.DATA_DIR ||= dataDirectory;
    // As with `npm start`, which shows mails on a page only with its own database.
    if (!process.env.NODE_ENV) process.env.MAIL_PAGE ||= "false";
    process.env.NEXTAUTH_URL ||=
      process.env.APP_URL || `http://localhost:${process.env.PORT || 3000}`;
    return;
  }
  const database = embeddedDatabase();
  if (!database)
    throw new Error(
      "There is no database yet: run `npm start` first, or set DATABASE_URL (and SECRET_KEYS).",
    );

  process.env.MIGRATION_DATABASE_URL = database.ownerUrl;
  const url = readJson<DemoFile>("demo.json")?.url;
  const port = Number(process.env.PORT || (url && new URL(url).port) || 3000);
  Object.assign(
    process.env,
    localEnvironment({ port, databaseUrl: database.databaseUrl, isDevelopment: false }),
  );
}
