import { isConnectionFailure, tlsProblem } from "@/lib/platform/sql-errors";
import { embeddedDatabase } from "./embedded/environment";

/**
 * Why the database in DATABASE_URL cannot be used, and what to correct. Null if the error is not
 * about the connection or the rights of its role.
 */
export function databaseProblem(error: unknown, url: string): string | null {
  const isKnown = tlsProblem(error) ?? (isForbidden(error) || isConnectionFailure(error));
  return isKnown ? describeDatabaseError(error, url) : null;
}

/** The same for any error. */
export function describeDatabaseError(error: unknown, url: string): string {
  const reason = tlsProblem(error);
  return reason
    ? `cannot be used: ${reason}`
    : `cannot be used (${firstLine(error)}). ${remedyFor(error, url)}`;
}

/** Prisma's engine adds its own stack, which helps no operator. */
function firstLine(error: unknown): string {
  const { message, code } = error as Error & { code?: string };
  return message.split("\n", 1)[0] || `${code}`;
}

const isForbidden = (error: unknown) =>
  /permission denied for (schema|table|database)/.test((error as Error).message);

function remedyFor(error: unknown, url: string): string {
  const { message } = error as Error;
  const addresses = ["DATABASE_URL", "DATABASE_DIRECT_URL", "MIGRATION_DATABASE_URL"]
    .filter((name, index) => index === 0 || process.env[name])
    .join(", ")
    .replace(/, (\w+)$/, " and $1");
  if (isForbidden(error))
    return `The role ${URL.parse(url)?.username} has no rights there yet. Run \`npm run admin -- migrate\` with MIGRATION_DATABASE_URL set to the address of the tables' owner, which grants them`;
  if (/authentication failed|no pg_hba\.conf entry|role "[^"]*" does not exist/.test(message))
    return `Correct the user and the password in ${addresses}`;
  if (/database "[^"]*" does not exist|no such database/.test(message))
    return `Create the database, or correct its name in ${addresses}`;
  if (url === embeddedDatabase()?.databaseUrl) return "Start it with `npm start`";
  return `Start PostgreSQL, or correct ${addresses}`;
}
