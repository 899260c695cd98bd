// cspell:ignore capnp
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { version } from "@/sdk/src/version";
import { baseUrl, newTenant } from "../support/api";
import { freePort, startServing } from "../support/processes";

// The installed package in Deno, Bun and workerd (the runtime of Cloudflare Workers). They are
// 350 MB, so this test installs them from npm, and they are not dependencies of the project.

const runtimes = ["deno@2.9.6", "bun@1.4.5", "workerd@1.20261117.1"];

const root = path.resolve(import.meta.dirname, "../..");
const sdk = path.join(root, "sdk");
const folder = mkdtempSync(path.join(tmpdir(), "parlance-runtimes-"));

async function run(command: string, args: string[], cwd = folder, env = {}): Promise<string> {
  const result = promisify(execFile)(command, args, { cwd, env: { ...process.env, ...env } });
  const { stdout } = await result.catch((error) =>
    expect.fail(`${command} failed:\n${error.stdout}${error.stderr}`),
  );
  return stdout;
}

beforeAll(async () => {
  await run(process.execPath, [path.join(root, "node_modules/tsdown/dist/run.mjs")], sdk);
  await run("npm", ["pack", "--ignore-scripts", "--pack-destination", folder], sdk);
  writeFileSync(path.join(folder, "package.json"), '{ "private": true, "type": "module" }');
  const packages = [`./parlance-sdk-${version}.tgz`, ...runtimes];
  // Bun's own script puts its program in place.
  const options = ["--no-audit", "--no-fund", "--ignore-scripts=false"];
  await run("npm", ["install", ...options, ...packages]);
  writeFileSync(path.join(folder, "use.ts"), use);
  writeFileSync(
    path.join(folder, "main.ts"),
    `import { use } from "./use.ts";
     console.log(JSON.stringify(await use(undefined, undefined)));`,
  );
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What a program does with the package, and what it finds. */
const use = `import { NotFoundError, Parlance } from "@parlance/sdk";
import { createTestKeyPair, signTestWebhook, verifyWebhook } from "@parlance/sdk/webhooks";

declare const process: { env: Record<string, string | undefined> };

export async function use(key: string | undefined, baseUrl: string | undefined): Promise<object> {
  const parlance = new Parlance(key ?? process.env.PARLANCE_API_KEY, { baseUrl });
  const { id } = await parlance.conversations.create({ channelId: "web", message: "Hello" });
  const texts: string[] = [];
  for await (const message of parlance.conversations.messages.list(id)) texts.push(message.text);
  const bytes = new TextEncoder().encode("Hi there");
  const file = await parlance.files.create({ file: bytes, name: "hi.txt" });
  const missing = await parlance.customers.get("cus_00000000000000000000000000").catch((error) => error);
  const types: string[] = [];
  for await (const event of parlance.events.stream({ cursor: "start", types: ["message.received"] })) {
    types.push(event.type);
    break;
  }
  const { privateKey, publicKey } = await createTestKeyPair();
  const secret = "whsec_AAAA";
  const { payload, headers } = await signTestWebhook({
    payload: { id: "evt_1", type: "webhook.test" },
    secret,
    privateKey,
  });
  const first = await verifyWebhook({ payload, header: headers, secret });
  const second = await verifyWebhook({ payload, header: headers, publicKey });
  return { texts, size: file.sizeBytes, isMissing: missing instanceof NotFoundError, types, ids: [first.id, second.id] };
}
`;

const expected = {
  texts: ["Hello"],
  size: 8,
  isMissing: true,
  types: ["message.received"],
  ids: ["evt_1", "evt_1"],
};

test.each([
  // Deno checks the types, too.
  ["Deno", ["deno", "run", "--check", "--allow-net", "--allow-env", "--allow-read"]],
  ["Bun", ["bun", "run"]],
])("%s runs the package", async (_name, [program = "", ...args]) => {
  const { key } = await newTenant();
  const env = { PARLANCE_API_KEY: key, PARLANCE_BASE_URL: baseUrl() };
  const command = path.join(folder, "node_modules/.bin", program);
  expect(JSON.parse(await run(command, [...args, "main.ts"], folder, env))).toEqual(expected);
});

test("workerd runs the package in a bundle", async () => {
  const { key } = await newTenant();
  await build({
    stdin: {
      contents: `import { use } from "./use.ts";
        export default {
          fetch: (request, { KEY, BASE_URL }) =>
            use(KEY, BASE_URL).then(Response.json, (error) => new Response(String(error.stack))),
        };`,
      resolveDir: folder,
    },
    bundle: true,
    format: "esm",
    conditions: ["workerd"],
    outfile: path.join(folder, "worker.mjs"),
    logLevel: "error",
  });
  const port = await freePort();
  writeFileSync(
    path.join(folder, "config.capnp"),
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "internet", network = (allow = ["public", "private", "local"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
const worker :Workerd.Worker = (
  modules = [(name = "worker.mjs", esModule = embed "worker.mjs")],
  bindings = [(name = "KEY", text = "${key}"), (name = "BASE_URL", text = "${baseUrl()}")],
  compatibilityDate = "2026-01-01",
);
`,
  );
  const { bin } = JSON.parse(
    readFileSync(path.join(folder, "node_modules/workerd/package.json"), "utf8"),
  );
  const program = path.join(folder, "node_modules/workerd", bin.workerd);
  const url = `http://127.0.0.1:${port}/`;
  const child = await startServing(program, ["serve", "config.capnp"], url, { cwd: folder });
  try {
    const text = await (await fetch(url)).text();
    expect(text).toContain("{");
    expect(JSON.parse(text)).toEqual(expected);
  } finally {
    child.kill();
  }
});
