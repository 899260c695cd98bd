import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { expect, test } from "vitest";
import { commonOptions } from "@/sdk/cli/command";
import { commands as cliCommands } from "@/sdk/cli/commands";
import { commands as adminCommands } from "@/server/admin/commands";

// The commands of the documentation that are not run elsewhere: shell can parse them, and each
// program, command and option exists. `curl-snippets.test.ts` runs those with curl.

const pages = [
  ...readdirSync(".").filter((file) => file.endsWith(".md")),
  ...["docs", "docs/guides"].flatMap((folder) =>
    readdirSync(folder)
      .filter((file) => /\.mdx?$/.test(file))
      .map((file) => `${folder}/${file}`),
  ),
  "sdk/README.md",
  "sdk-python/README.md",
];
const blocksOf = (page: string, languages: string) => [
  ...readFileSync(page, "utf8").matchAll(
    new RegExp(String.raw`^\`\`\`(?:${languages})\b.*\n([\s\S]*?)^\`\`\`$`, "gm"),
  ),
];
const shellBlocks = pages.flatMap((page) =>
  blocksOf(page, "bash|sh").map(([, commands = ""]) => ({ page, commands })),
);

/** The commands of all blocks, and those inside of lines and tables. */
const lines = pages.flatMap((page) => {
  const text = readFileSync(page, "utf8");
  const inline = [...text.matchAll(/`((?:npm|npx|parlance) [^`]+)`/g)].map(([, line = ""]) => line);
  const blocks = blocksOf(page, "bash|sh").flatMap(([, commands = ""]) =>
    commands.replaceAll("\\\n", " ").split("\n"),
  );
  return [...blocks, ...inline].map((line) => ({ page, line: line.replace(/\s+#.*$/, "").trim() }));
});

const after = (pattern: RegExp) =>
  lines.flatMap(({ page, line }) => {
    const [, rest] = pattern.exec(line) ?? [];
    // A pipe or a redirection belongs to the shell. `\|` is how a table writes it.
    return rest === undefined
      ? []
      : [{ page, line, words: wordsOf(rest.split(/ [|>] /)[0] ?? "") }];
  });

const wordsOf = (line: string) =>
  [...line.matchAll(/"[^"]*"|<[^>]*>|\S+/g)].map(([word]) => word.replaceAll('"', ""));

const hasBash = spawnSync("bash", ["--version"]).status === 0;
if (!hasBash) process.stdout.write("The shell blocks are not parsed: bash is missing.\n");
test.skipIf(!hasBash)("every block of shell commands can be parsed", () => {
  expect(shellBlocks.length).toBeGreaterThan(70);
  const broken = shellBlocks.filter(
    ({ commands }) => spawnSync("bash", ["-n"], { input: commands }).status !== 0,
  );
  expect(broken).toEqual([]);
});

test("every block of JSON can be parsed", () => {
  for (const page of pages)
    for (const [, json = ""] of blocksOf(page, "json"))
      expect(() => JSON.parse(json), page).not.toThrow();
});

test("every `npm` command has its script", () => {
  const { scripts } = JSON.parse(readFileSync("package.json", "utf8"));
  const own = new Set(["ci", "install", "i", "audit", "pack", "publish", "view", "exec"]);
  const named = after(/(?:^|\s)npm ((?:run (?:--silent )?)?[\w:-]+)/).map(
    ({ page, line, words }) => ({
      page,
      line,
      name: words.at(-1) ?? "",
    }),
  );
  expect(named.length).toBeGreaterThan(40);
  expect(named.filter(({ name }) => !own.has(name) && !Object.hasOwn(scripts, name))).toEqual([]);
});

test("every `npm run admin` command and its options exist", () => {
  const given = after(/npm run (?:--silent )?admin -- (.*)$/);
  expect(given.length).toBeGreaterThan(20);
  for (const { page, line, words } of given) {
    const [name = "", ...args] = words;
    if (name === "help" || name === "…") continue;
    const command = adminCommands[name] ?? expect.fail(`${page}: ${line}`);
    const flags = [...(command.flags ?? []), "json", "help"];
    const options = Object.fromEntries(
      [...command.options, ...flags].map((option) => [
        option,
        { type: flags.includes(option) ? "boolean" : "string" } as const,
      ]),
    );
    expect(() => parseArgs({ args, options }), `${page}: ${line}`).not.toThrow();
  }
});

// `parlance web` and `parlance worker` are names of processes.
test("every `parlance` command and its options exist", () => {
  const given = after(/^(?:npx )?parlance (?!web$|worker$)(.*)$/);
  expect(given.length).toBeGreaterThan(5);
  for (const { page, line, words } of given) {
    // Without a command: `parlance --help`.
    if (words[0]?.startsWith("--")) continue;
    const command =
      cliCommands.findLast(({ name }) => `${words.join(" ")} `.startsWith(`${name} `)) ??
      expect.fail(`${page}: ${line}`);
    const options = Object.fromEntries(
      Object.entries({ ...command.options, ...commonOptions }).map(([name, { value }]) => [
        name,
        { type: value ? ("string" as const) : ("boolean" as const) },
      ]),
    );
    const args = words.slice(command.name.split(" ").length);
    expect(
      () => parseArgs({ args, options, allowPositionals: true }),
      `${page}: ${line}`,
    ).not.toThrow();
  }
});
