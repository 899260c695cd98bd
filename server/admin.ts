import { parseArgs } from "node:util";
import { flushAnchors } from "@/lib/audit/anchors";
import { closeDatabase } from "@/lib/platform/db";
import { AppError } from "@/lib/platform/errors";
import { log } from "@/lib/platform/log";
import { isDatabaseUnavailable } from "@/lib/platform/sql-errors";
import { commands, UsageError } from "./admin/commands";
import { loadLocalEnvironment } from "./admin/local-environment";

// `npm run admin -- <command> …`, for operators. Standard output has only the result: one JSON
// object (for `doctor`, one line per finding). The exit code is 1 after a failure and 2 for invalid
// arguments.

log.level = "silent";
// Some commands read whole tables, and no request waits for them.
process.env.DATABASE_STATEMENT_TIMEOUT_MS ||= "600000";

const [name = "", ...rest] = process.argv.slice(2);
process.exitCode = await run(name, rest).catch(explain);
await flushAnchors().catch(() => {});
await closeDatabase();

async function run(name: string, rest: string[]): Promise<number> {
  const command = commands[name];
  if (!command) throw new UsageError(name ? `There is no command "${name}".` : "Name a command.");

  const options = Object.fromEntries(
    command.options.map((option) => [option, { type: "string" as const }]),
  );
  let values: Record<string, string | undefined>;
  try {
    ({ values } = parseArgs({ args: rest, options }));
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
  loadLocalEnvironment();
  const { output, exitCode = 0 } = await command.run(values);
  process.stdout.write(typeof output === "string" ? output : `${JSON.stringify(output)}\n`);
  return exitCode;
}

function explain(error: unknown): number {
  const { message } = error as Error;
  if (error instanceof UsageError) {
    const usage = Object.values(commands).map((command) => `  npm run admin -- ${command.usage}\n`);
    process.stderr.write(`${message}\n\nUsage:\n${usage.join("")}`);
    return 2;
  }
  if (isDatabaseUnavailable(error)) {
    process.stderr.write(
      "The database cannot be reached. Start it with `npm start`, or set DATABASE_URL to a running one.\n",
    );
  } else {
    process.stderr.write(`${error instanceof AppError ? error.detail : message}\n`);
  }
  return 1;
}
