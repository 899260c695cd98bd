import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { type Edit, edits, migrationSql } from "./edits";
import { namesOf, renamed } from "./names";

// npm run new:resource -- price-lists [--singular price-list] [--prefix prl]
//
// Writes a resource with a name and metadata, from the database to the dashboard: every file of
// template/ (its noun is "sample items") and the lines of edits.ts in files that exist. Then it
// generates what is derived: the database client, a migration, the SDK types and docs/operations.md.
// Change the schema and the service to what the resource really is, and write the description of its
// tag in lib/resources/registry.ts.

const templates = "server/new-resource/template";

const { values, positionals } = parseArgs({
  options: { singular: { type: "string" }, prefix: { type: "string" } },
  allowPositionals: true,
});
const [plural] = positionals;
if (!plural)
  fail("Usage: npm run new:resource -- <plural-in-kebab-case> [--singular …] [--prefix …]");

const names = namesOf(plural, values.singular, values.prefix);
const inProject = (text: string) => renamed(text, names);
const written = [...copyTemplates(), ...edits.map(edit)];

run("node", "server/prepare.mjs", "check");
writeMigration();
run("npx", "biome", "check", "--write", ...new Set(written.filter((file) => /\.tsx?$/.test(file))));
run("npm", "run", "--silent", "sdk:types");
run("npm", "run", "--silent", "docs:operations");
process.stdout.write(`${[...new Set(written)].sort().join("\n")}\n`);

function copyTemplates(): string[] {
  const files = readdirSync(templates, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".template"),
  );
  const targets = files.map((file) => inProject(file.replace(/\.template$/, "")));
  const existing = targets.find((file) => existsSync(file));
  if (existing) fail(`${existing} exists already.`);
  for (const [index, file] of files.entries()) {
    const target = targets[index] ?? "";
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, inProject(readFileSync(path.join(templates, file), "utf8")));
  }
  return targets;
}

function edit({ file, inside, after, before, text }: Edit): string {
  const lines = readFileSync(file, "utf8").split("\n");
  const anchor = inside ?? after ?? before;
  const start = anchor
    ? lines.findIndex((line) => line.trimStart().startsWith(anchor))
    : lines.length - 1;
  if (start < 0) fail(`${file} has no line that starts with ${anchor}: update edits.ts.`);
  lines.splice(inside ? endOfBlock(lines, start) : start + (after ? 1 : 0), 0, inProject(text));
  writeFileSync(file, lines.join("\n").replace(/\n+$/, "\n"));
  return file;
}

/** The line that closes a block has the indentation of the one that opens it. */
function endOfBlock(lines: string[], start: number): number {
  const indentation = /^\s*/.exec(lines[start] ?? "")?.[0] ?? "";
  return lines.findIndex(
    (line, index) => index > start && new RegExp(`^${indentation}[}\\])]`).test(line),
  );
}

function writeMigration(): void {
  const output = run("npm", "run", "--silent", "migration", "--", inProject("add_sample_items"));
  const file = output.trim().split("\n").at(-1) ?? "";
  writeFileSync(file, readFileSync(file, "utf8") + inProject(migrationSql));
  written.push(file);
}

function run(command: string, ...parameters: string[]): string {
  return execFileSync(command, parameters, {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
