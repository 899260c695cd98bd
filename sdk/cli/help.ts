import { type Command, commonOptions, type Options } from "./command";
import { table } from "./output";

export const overview = (commands: Command[]): string => `The command line of Parlance.

Usage: parlance <command> [options]

Commands:
${listed(commands)}

Run \`parlance <command> --help\` for the options of a command.
The exit code is 0 if it succeeded, 1 after a failure or an interruption, and 2 for invalid arguments.`;

export const helpOfGroup = (commands: Command[]): string => `Commands:
${listed(commands)}`;

export function helpOfCommand(command: Command): string {
  const { summary, options = {}, details } = command;
  const lines = [summary, "", `Usage: parlance ${usage(command)} [options]`];
  if (Object.keys(options).length > 0) lines.push("", "Options:", optionList(options));
  lines.push("", "Common options:", optionList(commonOptions));
  if (details) lines.push("", details);
  return lines.join("\n");
}

const usage = ({ name, arguments: names = [] }: Command): string =>
  [
    name,
    ...names.map((each) => (each.endsWith("?") ? `[${each.slice(0, -1)}]` : `<${each}>`)),
  ].join(" ");

const indented = (text: string): string => text.replace(/^/gm, "  ");

const listed = (commands: Command[]): string =>
  indented(table(commands.map((command) => [usage(command), command.summary])));

const optionList = (options: Options): string =>
  indented(
    table(
      Object.entries(options).map(([name, { value, description }]) => [
        `--${name}${value ? ` <${value}>` : ""}`,
        description,
      ]),
    ),
  );
