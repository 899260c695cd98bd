import { parseArgs } from "node:util";
import { nearestName } from "@/lib/api/suggest-field";
import { flushAnchors } from "@/lib/audit/anchors";
import { closeDatabase, setProcessRole } from "@/lib/platform/db";
import { AppError } from "@/lib/platform/errors";
import { silenceLogs } from "@/lib/platform/log";
import { isDatabaseUnavailable, tlsProblem } from "@/lib/platform/sql-errors";
import { DatabaseMissing } from "@/lib/tenant-move/sessions";
import { commands, UsageError } from "./admin/commands";
import { loadLocalEnvironment } from "./admin/local-environment";

// `npm run admin -- <command> …`, for operators. Standard output has only the result: one JSON
// object (for `doctor` without --json, one line per finding). The exit code is 1 after a failure and
// 2 for invalid arguments.

silenceLogs();
setProcessRole("admin");
// Some commands read whole tables, and no request waits for them.
process.env.DATABASE_STATEMENT_TIMEOUT_MS ||= "600000";

const [name = "", ...rest] = process.argv.slice(2);
process.exitCode = await run(name, rest).catch(explain);
await flushAnchors().catch(() => {});
await closeDatabase();

async function run(name: string, rest: string[]): Promise<number> {
  if (["help", "--help", "-h"].includes(name)) {
    process.stdout.write(usage(Object.values(commands)));
    return 0;
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command)
    throw new UsageError(
      name
        ? `There is no command "${name}".${didYouMean(name, Object.keys(commands))}`
        : "Name a command.",
    );
  if (rest.includes("--help") || rest.includes("-h")) {
    process.stdout.write(usage([command]));
    return 0;
  }
  const values = readValues(command, rest);
  if (!command.needsNoDatabase) loadLocalEnvironment();
  const { output, exitCode = 0 } = await command.run(values);
  process.stdout.write(typeof output === "string" ? output : `${JSON.stringify(output)}\n`);
  return exitCode;
}

type Command = (typeof commands)[string];

function readValues(command: Command, args: string[]): Record<string, string | undefined> {
  // The output is JSON already, except for that of `doctor`.
  const flags = [...(command.flags ?? []), "json"];
  const names = [...command.options, ...flags];
  const options = Object.fromEntries(
    names.map((name) => [name, { type: flags.includes(name) ? "boolean" : "string" } as const]),
  );
  try {
    const given = Object.entries(parseArgs({ args, options }).values);
    return Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
  } catch (error) {
    const unknown = args.find((arg) => arg.startsWith("--") && !names.includes(nameOf(arg)));
    throw new UsageError(
      unknown
        ? `There is no option --${nameOf(unknown)}.${didYouMean(nameOf(unknown), names, "--")}`
        : (error as Error).message,
    );
  }
}

function nameOf(arg: string): string {
  return arg.slice(2).split("=")[0] ?? "";
}

function didYouMean(unknown: string, names: string[], prefix = ""): string {
  const name = nearestName(names, unknown);
  return name ? ` Did you mean ${prefix}${name}?` : "";
}

function usage(shown: Command[]): string {
  const lines = shown.map((command) => `  npm run admin -- ${command.usage}\n`);
  return `Usage:\n${lines.join("")}`;
}

function explain(error: unknown): number {
  const { message } = error as Error;
  if (error instanceof UsageError) {
    process.stderr.write(`${message}\n\n${usage(Object.values(commands))}`);
    return 2;
  }
  const problem = tlsProblem(error);
  if (problem) {
    process.stderr.write(`The database cannot be used: ${problem}.\n`);
  } else if (isDatabaseUnavailable(error) && !(error instanceof DatabaseMissing)) {
    process.stderr.write(
      "The database cannot be reached. Start it, or correct DATABASE_URL; `doctor` says more.\n",
    );
  } else {
    process.stderr.write(`${error instanceof AppError ? error.detail : message}\n`);
  }
  return 1;
}
