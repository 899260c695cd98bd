#!/usr/bin/env node
import { parseArgs } from "node:util";
import { ApiError, ParlanceError } from "../src/index";
import { version } from "../src/version";
import { type Command, commonOptions, type Options, UsageError } from "./command";
import { commands } from "./commands";
import { helpOfCommand, helpOfGroup, overview } from "./help";
import { nearest } from "./nearest";
import { createOutput } from "./output";

// `parlance <command> …`. Standard output has only results, and with `--json` one JSON value per
// line; notes and errors go to standard error. The exit code is 1 after a failure and 2 for invalid
// arguments.

const interrupt = new AbortController();
// The second one ends the process immediately.
process.once("SIGINT", () => interrupt.abort());
process.once("SIGTERM", () => interrupt.abort());
process.stdout.on("error", ({ code, message }: NodeJS.ErrnoException) => {
  // The reader of a pipe, such as `head`, may end first.
  if (code === "EPIPE") process.exit(0);
  process.stderr.write(`The output could not be written: ${message}\n`);
  process.exit(1);
});
process.stderr.on("error", () => {});

process.exitCode = await run(process.argv.slice(2)).catch(explain);

async function run(words: string[]): Promise<number> {
  if (words[0] === "--version" || words[0] === "-v") return print(version);
  const isHelp = words.includes("--help") || words.includes("-h") || words[0] === "help";
  const path = words[0] === "help" ? words.slice(1) : words;
  const command = find(path);
  if (!command) {
    const group = commands.filter(({ name }) => name.startsWith(`${path[0]} `));
    if (group.length > 0 && (isHelp || path.length === 1)) return print(helpOfGroup(group));
    if (isHelp || path.length === 0) return print(overview(commands));
    if (path[0]?.startsWith("-"))
      throw new UsageError(`Write ${path[0]} after the command: parlance <command> [options].`);
    throw new UsageError(unknownCommand(path, group));
  }
  if (isHelp) return print(helpOfCommand(command));

  const { values, positionals } = parse(command, path.slice(command.name.split(" ").length));
  const { arguments: names = [] } = command;
  const missing = names.slice(positionals.length).find((name) => !name.endsWith("?"));
  if (missing) throw new UsageError(`Give <${missing}>.`, command);
  if (positionals.length > names.length)
    throw new UsageError(`There is no argument for "${positionals[names.length]}".`, command);
  const output = createOutput(values.json === true);
  try {
    await command.run({ args: positionals, values, output, signal: interrupt.signal });
  } catch (error) {
    if (!command.isEndless || !interrupt.signal.aborted) throw error;
  }
  return 0;
}

/** The command with the most words: `webhooks resend`, not `webhooks`. */
function find(words: string[]): Command | undefined {
  return [2, 1]
    .map((count) => words.slice(0, count).join(" "))
    .map((name) => commands.find((command) => command.name === name))
    .find((command) => command !== undefined);
}

function unknownCommand(words: string[], group: Command[]): string {
  const given = words.slice(0, group.length > 0 ? 2 : 1).join(" ");
  const names = commands.map(({ name }) => name);
  const close =
    nearest(words.slice(0, 2).join(" "), names) ??
    nearest(
      given,
      names.map((name) => name.split(" ")[0] ?? ""),
    );
  return `There is no command "${given}".${close ? ` Did you mean "${close}"?` : ""}`;
}

function parse(command: Command, args: string[]) {
  const options: Options = { ...command.options, ...commonOptions };
  const config = Object.fromEntries(
    Object.entries(options).map(([name, { value }]) => [
      name,
      { type: value ? ("string" as const) : ("boolean" as const) },
    ]),
  );
  try {
    return parseArgs({ args, options: config, allowPositionals: true });
  } catch (error) {
    const [, unknown] = /Unknown option '--?([^']+)'/.exec((error as Error).message) ?? [];
    if (!unknown) throw new UsageError(`${(error as Error).message}.`, command);
    const close = nearest(unknown, Object.keys(options));
    throw new UsageError(
      `There is no option --${unknown}.${close ? ` Did you mean --${close}?` : ""}`,
      command,
    );
  }
}

function print(text: string): number {
  process.stdout.write(`${text}\n`);
  return 0;
}

function explain(error: unknown): number {
  if (interrupt.signal.aborted) {
    process.stderr.write("Interrupted.\n");
    return 1;
  }
  if (error instanceof UsageError) {
    const name = error.command?.name;
    const help = `parlance ${name ? `${name} ` : ""}--help`;
    process.stderr.write(`${error.message} See \`${help}\`.\n`);
    return 2;
  }
  // The system may refuse something, too, for example to write the settings.
  if (!(error instanceof ParlanceError) && !isSystemError(error)) throw error;
  process.stderr.write(`${error.message}\n`);
  if (error instanceof ApiError && error.kind === "unauthorized")
    process.stderr.write("Sign in with a key that is valid: `parlance login`.\n");
  return 1;
}

function isSystemError(error: unknown): error is Error {
  return error instanceof Error && "syscall" in error;
}
