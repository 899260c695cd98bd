import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { version } from "@/sdk/src/version";

// Whether the packed client can be installed and imported at all. `package.full.test.ts` checks it
// in every detail.

const root = path.resolve(import.meta.dirname, "../..");
const folder = mkdtempSync(path.join(tmpdir(), "parlance-packed-"));
/** A copy of sdk/, so that no other test packs the same folder at the same time. */
const copy = path.join(folder, "sdk");
const consumer = mkdtempSync(path.join(tmpdir(), "parlance-consumer-"));

const run = (cwd: string, command: string, ...args: string[]): string =>
  execFileSync(command, args, { cwd, stdio: "pipe" }).toString();

beforeAll(() => {
  cpSync(path.join(root, "sdk"), copy, {
    recursive: true,
    filter: (file) => !/[\\/]sdk[\\/](node_modules|dist|bin)$/.test(file),
  });
  symlinkSync(path.join(root, "node_modules"), path.join(folder, "node_modules"));
  run(copy, process.execPath, path.join(root, "node_modules/tsdown/dist/run.mjs"), "--no-dts");
  run(copy, "npm", "pack", "--ignore-scripts", "--pack-destination", consumer);
  writeFileSync(path.join(consumer, "package.json"), '{ "private": true }');
  run(consumer, "npm", "install", "--offline", "--no-audit", "--no-fund", tarball());
});

afterAll(() => {
  for (const each of [folder, consumer]) rmSync(each, { recursive: true, force: true });
});

const tarball = () => path.join(consumer, `parlance-sdk-${version}.tgz`);

const use = `const client = new Parlance("prl_test_abc", { baseUrl: "http://localhost:1" });
console.log(typeof client.conversations.list, typeof verifyWebhook);`;

test.each([
  [
    "module",
    `import { Parlance } from "@parlance/sdk"; import { verifyWebhook } from "@parlance/sdk/webhooks";`,
  ],
  [
    "commonjs",
    `const { Parlance } = require("@parlance/sdk"); const { verifyWebhook } = require("@parlance/sdk/webhooks");`,
  ],
])("the packed client can be imported in an empty folder as %s", (type, imports) => {
  const program = `${imports}\n${use}`;
  expect(run(consumer, process.execPath, `--input-type=${type}`, "-e", program)).toBe(
    "function function\n",
  );
});

test("the packed command runs", () => {
  const bin = path.join(consumer, "node_modules/.bin/parlance");
  expect(run(consumer, bin, "--version")).toBe(`${version}\n`);
  expect(run(consumer, bin, "--help")).toContain("logs tail");
});

test("the packed client is smaller than 6 KB, minified and compressed", async () => {
  const main = path.join(consumer, "node_modules/@parlance/sdk/dist/index.js");
  const { outputFiles } = await build({
    stdin: { contents: readFileSync(main, "utf8"), resolveDir: path.dirname(main) },
    bundle: true,
    minify: true,
    format: "esm",
    write: false,
    logLevel: "error",
    plugins: [
      {
        name: "without what is loaded on demand",
        setup: ({ onResolve }) =>
          onResolve({ filter: /./ }, ({ kind }) =>
            kind === "dynamic-import" ? { external: true } : undefined,
          ),
      },
    ],
  });
  expect(gzipSync(outputFiles[0]?.contents ?? "").byteLength).toBeLessThan(6 * 1_024);
});
