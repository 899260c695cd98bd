import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/** One file imports another. `isTypeOnly`: nothing of it is left when the program runs. */
export type Import = { from: string; to: string; isTypeOnly: boolean };

const roots = [
  "app",
  "bench",
  "components",
  "inngest",
  "lib",
  "prisma",
  "sdk/src",
  "server",
  "tests",
];
const extensions = ["", ".ts", ".tsx", ".mjs", "/index.ts"];
const statement =
  /(?:^|\n)\s*(import|export)\s+(type\s+)?([^"';]*?\bfrom\s+)?["']([^"'\n]+)["']|\bimport\(\s*["']([^"'\n]+)["']/g;

/** The repository's own source files, relative to its root; generated ones are left out. */
export function sourceFiles(): string[] {
  return roots.flatMap((root) =>
    readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(ts|tsx|mjs)$/.test(entry.name))
      .map((entry) => path.join(entry.parentPath, entry.name))
      .filter((file) => !file.includes("/generated/") && !file.includes("node_modules")),
  );
}

/** Every import of one file of the repository by another. Packages are left out. */
export function readImports(files = sourceFiles()): Import[] {
  return files.flatMap((from) => importsOf(from, readFileSync(from, "utf8")));
}

export function importsOf(from: string, source: string): Import[] {
  return [...source.matchAll(statement)].flatMap(
    ([, , typeKeyword, names, staticPath, dynamicPath]) => {
      const to = resolve(from, staticPath ?? dynamicPath ?? "");
      if (!to || to === from) return [];
      const listed =
        /\{([^}]*)\}/
          .exec(names ?? "")?.[1]
          ?.split(",")
          .map((name) => name.trim()) ?? [];
      const named = listed.filter(Boolean);
      const isTypeOnly =
        Boolean(typeKeyword) ||
        (named.length > 0 && named.every((name) => name.startsWith("type ")));
      return [{ from, to, isTypeOnly }];
    },
  );
}

function resolve(from: string, imported: string): string | undefined {
  if (!/^(@\/|\.)/.test(imported)) return undefined;
  const target = imported.startsWith("@/")
    ? imported.slice(2)
    : path.join(path.dirname(from), imported);
  return extensions
    .map((extension) => target + extension)
    .find((file) => path.extname(file) !== "" && existsSync(file));
}

/**
 * The folder that a file of lib/ is in; for others, the top-level folder. The generated database
 * client is a folder of its own.
 */
export function folderOf(file: string): string {
  if (file.startsWith("prisma/generated/")) return "prisma/generated";
  return file.startsWith("lib/") ? path.dirname(file) : (file.split("/")[0] ?? "");
}

function groupBy(imports: Import[], keyOf: (found: Import) => string): Map<string, Import[]> {
  const groups = new Map<string, Import[]>();
  for (const found of imports) {
    const group = groups.get(keyOf(found));
    if (group) group.push(found);
    else groups.set(keyOf(found), [found]);
  }
  return groups;
}

/**
 * Pairs of folders that import each other, each with the imports that run in the less common
 * direction.
 */
export function mutualPairs(imports: Import[]): string[] {
  const between = groupBy(
    imports.filter(({ from, to }) => folderOf(from) !== folderOf(to)),
    ({ from, to }) => `${folderOf(from)} ${folderOf(to)}`,
  );
  return [...between].flatMap(([pair, forward]) => {
    const [from, to] = pair.split(" ");
    const back = between.get(`${to} ${from}`);
    const isFewer =
      back &&
      (forward.length < back.length || (forward.length === back.length && pair < `${to} ${from}`));
    if (!isFewer) return [];
    return [
      `${from} and ${to} import each other: ${forward.map((found) => `${found.from} -> ${found.to}`).join(", ")}`,
    ];
  });
}

/** Loops of imports that exist when the program runs, each as one path back to its start. */
export function runtimeCycles(imports: Import[]): string[] {
  const targets = groupBy(
    imports.filter(({ isTypeOnly }) => !isTypeOnly),
    ({ from }) => from,
  );
  const finished = new Set<string>();
  const cycles: string[] = [];
  const visit = (file: string, trail: string[]) => {
    const start = trail.indexOf(file);
    if (start >= 0) cycles.push([...trail.slice(start), file].join(" -> "));
    if (start >= 0 || finished.has(file)) return;
    for (const { to } of targets.get(file) ?? []) visit(to, [...trail, file]);
    finished.add(file);
  };
  for (const file of targets.keys()) visit(file, []);
  return cycles;
}
