// cspell:ignore CWORD esac COMPREPLY compgen compinit compdef compadd commandline
import { type Command, commonOptions, UsageError } from "./command";

const shells = ["bash", "zsh", "fish"] as const;

/**
 * Prints a script for a shell. It is generated from the commands, so it needs no process for each
 * completion.
 */
export const completion = (all: () => Command[]): Command => ({
  name: "completion",
  summary: "Print the completion script of a shell: bash, zsh or fish",
  arguments: ["shell"],
  choices: shells,
  details: `  bash:  parlance completion bash >> ~/.bashrc
  zsh:   parlance completion zsh >> ~/.zshrc
  fish:  parlance completion fish > ~/.config/fish/completions/parlance.fish`,
  run: async ({ args, output }) => {
    const [given = ""] = args;
    const shell = shells.find((name) => name === given);
    if (!shell)
      throw new UsageError(
        `"${given}" is not a supported shell. Choose one of: ${shells.join(", ")}.`,
      );
    const text = scripts[shell](all());
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
    add(command.name, [...(command.choices ?? []), ...optionsOf(command)]);
  }
  return next;
}

/** The patterns of `case`, the longest first, each with what it sets. */
const cases = (commands: Command[], set: (words: string[]) => string): string =>
  [...followers(commands)]
    .reverse()
    .map(([before, words]) => `    "${before}"${before ? "*" : ""}) ${set(words)} ;;`)
    .join("\n");

const scripts: Record<(typeof shells)[number], (commands: Command[]) => string> = {
  bash: (commands) => `_parlance() {
  local words current="\${COMP_WORDS[COMP_CWORD]}" line="\${COMP_WORDS[*]:1:COMP_CWORD-1}"
  case "$line" in
${cases(commands, (words) => `words="${words.join(" ")}"`)}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _parlance parlance`,
  // `compdef` exists only after `compinit`, which a new user's .zshrc does not call.
  zsh: (commands) => `_parlance() {
  local -a found
  case "\${(j: :)words[2,CURRENT-1]}" in
${cases(commands, (words) => `found=(${words.join(" ")})`)}
  esac
  compadd -a -- found || _default
}
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
compdef _parlance parlance`,
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
