// cspell:ignore CWORD esac COMPREPLY compgen bashcompinit commandline
import { type Command, commonOptions, UsageError } from "./command";

/**
 * Prints a script for a shell. It is generated from the commands, so it needs no process for each
 * completion.
 */
export const completion = (all: () => Command[]): Command => ({
  name: "completion",
  summary: "Print the completion script of a shell: bash, zsh or fish",
  arguments: ["shell"],
  details: `  bash:  parlance completion bash >> ~/.bashrc
  zsh:   parlance completion zsh >> ~/.zshrc
  fish:  parlance completion fish > ~/.config/fish/completions/parlance.fish`,
  run: async ({ args, output }) => {
    const [shell = ""] = args;
    const script = scripts[shell];
    if (!script)
      throw new UsageError(`There is no script for "${shell}". Shells: bash, zsh, fish.`);
    const text = script(all());
    output.result({ shell, script: text }, text);
  },
});

const optionsOf = ({ options }: Command): string[] =>
  Object.keys({ ...options, ...commonOptions }).map((name) => `--${name}`);

/** What can follow each beginning of a command line: "" → commands, "webhooks" → its commands. */
function followers(commands: Command[]): Map<string, string[]> {
  const next = new Map<string, string[]>([["", []]]);
  const add = (before: string, words: string[]) =>
    next.set(before, [...new Set([...(next.get(before) ?? []), ...words])]);
  for (const command of commands) {
    const [first = "", second] = command.name.split(" ");
    add("", [first]);
    if (second) add(first, [second]);
    add(command.name, optionsOf(command));
  }
  return next;
}

const bash = (commands: Command[]): string => `_parlance() {
  local words current="\${COMP_WORDS[COMP_CWORD]}" line="\${COMP_WORDS[*]:1:COMP_CWORD-1}"
  case "$line" in
${[...followers(commands)]
  .reverse()
  .map(([before, words]) => `    "${before}"${before ? "*" : ""}) words="${words.join(" ")}" ;;`)
  .join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _parlance parlance`;

const scripts: Record<string, (commands: Command[]) => string> = {
  bash,
  zsh: (commands) => `autoload -Uz bashcompinit && bashcompinit\n${bash(commands)}`,
  fish: (commands) =>
    [...followers(commands)]
      .map(([before, words]) => {
        const condition = before
          ? `string match -q -- 'parlance ${before}*' (commandline -cp)`
          : "__fish_use_subcommand";
        return `complete -c parlance -n "${condition}" -a "${words.join(" ")}"`;
      })
      .join("\n"),
};
