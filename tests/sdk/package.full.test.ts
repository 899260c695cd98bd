import { execFile, spawn } from "node:child_process";
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { build, type Plugin } from "esbuild";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describedOperations } from "@/app/docs/reference/described";
import { clientSample } from "@/components/docs/samples";
import { publishAgent } from "@/lib/agents/versions";
import { attemptDelivery } from "@/lib/deliveries/engine/attempt-delivery";
import { resendDelivery } from "@/lib/deliveries/service";
import { eventTypes } from "@/lib/events/event-types";
import { processDocument } from "@/lib/knowledge/documents/process-document";
import { mutate, system } from "@/lib/platform/caller";
import { db } from "@/lib/platform/db";
import { version } from "@/sdk/src/version";
import { baseUrl, call, newTenant } from "../support/api";
import { freePort, startServing } from "../support/processes";

const root = path.resolve(import.meta.dirname, "../..");
const sdk = path.join(root, "sdk");
const manifest = JSON.parse(readFileSync(path.join(sdk, "package.json"), "utf8"));
/** An empty folder with only the package, as installed. */
const consumer = mkdtempSync(path.join(tmpdir(), "parlance-sdk-"));
const tarball = path.join(consumer, `parlance-sdk-${version}.tgz`);

const run = async (
  command: string,
  args: string[],
  cwd: string,
  env: Record<string, string> = {},
): Promise<string> => {
  const result = promisify(execFile)(command, args, { cwd, env: { ...process.env, ...env } });
  const { stdout } = await result.catch((error) =>
    expect.fail(`${command} failed:\n${error.stdout}${error.stderr}`),
  );
  return stdout;
};

beforeAll(async () => {
  await run(process.execPath, [path.join(root, "node_modules/tsdown/dist/run.mjs")], sdk);
  await run("npm", ["pack", "--ignore-scripts", "--pack-destination", consumer], sdk);
  writeFileSync(path.join(consumer, "package.json"), '{ "private": true }');
  await run("npm", ["install", "--offline", "--no-audit", "--no-fund", tarball], consumer);
});

afterAll(() => rmSync(consumer, { recursive: true, force: true }));

test("the package has no dependencies, and its version is the one it sends to servers", () => {
  expect(
    readdirSync(path.join(consumer, "node_modules")).filter((name) => !name.startsWith(".")),
  ).toEqual(["@parlance"]);
  expect(readdirSync(path.join(consumer, "node_modules/@parlance"))).toEqual(["sdk"]);
  expect(manifest).not.toHaveProperty("dependencies");
  expect(manifest).not.toHaveProperty("peerDependencies");
  expect(manifest).toMatchObject({ version, sideEffects: false });
});

test("the tarball contains the build with its source maps, the license and the changelog", () => {
  const installed = path.join(consumer, "node_modules/@parlance/sdk");
  const texts = ["CHANGELOG.md", "LICENSE", "README.md"];
  expect(readdirSync(installed).sort()).toEqual([...texts, "bin", "dist", "package.json"]);
  const license = (folder: string) => readFileSync(path.join(folder, "LICENSE"), "utf8");
  expect(license(installed)).toBe(license(root));
  expect(readdirSync(path.join(installed, "bin"))).toEqual(["parlance.js"]);
  const built = readdirSync(path.join(installed, "dist"));
  expect(built.filter((file) => !/\.(c?js(\.map)?|d\.c?ts)$/.test(file))).toEqual([]);
  for (const file of built.filter((name) => /\.c?js$/.test(name))) {
    const map = JSON.parse(readFileSync(path.join(installed, "dist", `${file}.map`), "utf8"));
    expect(map.sourcesContent).toHaveLength(map.sources.length);
  }
});

test("the installed package has the command parlance", async () => {
  expect(await run("npx", ["parlance", "--version"], consumer)).toBe(`${version}\n`);
});

test("publint finds nothing", async () => {
  const { messages } = await publint({
    strict: true,
    pack: { tarball: toArrayBuffer(readFileSync(tarball)) },
  });
  expect(messages.map((message) => formatMessage(message, manifest))).toEqual([]);
});

test("every way of resolving modules finds the right types", async () => {
  const analysis = await checkPackage(createPackageFromTarballData(readFileSync(tarball)));
  if (!analysis.types) expect.fail("the package has no types");
  expect(Object.keys(analysis.entrypoints)).toEqual([".", "./webhooks", "./package.json"]);
  expect(analysis.problems).toEqual([]);
});

// Without what it loads on demand.
test.each([
  ["index.js", 6 * 1_024],
  ["webhooks.js", 3 * 1_024],
])("%s is smaller than %i bytes, minified and compressed", async (file, limit) => {
  expect(await compressedSize(`export * from "./dist/${file}"`)).toBeLessThan(limit);
});

test("importing only the verification loads only the verification", async () => {
  const whole = await compressedSize(
    'export * from "./dist/index.js"; export * from "./dist/webhooks.js"',
  );
  const some = await compressedSize(
    'import { verifyWebhook } from "./dist/webhooks.js"; globalThis.verify = verifyWebhook',
  );
  const none = await compressedSize('import "./dist/index.js"; import "./dist/webhooks.js"');
  expect(some).toBeLessThan(whole / 2);
  expect(none).toBeLessThan(30);
});

test.each([
  [
    "ESM",
    "script.mjs",
    "import { Parlance } from '@parlance/sdk'; import { signTestWebhook, verifyWebhook } from '@parlance/sdk/webhooks';",
  ],
  [
    "CommonJS",
    "script.cjs",
    "const { Parlance } = require('@parlance/sdk'); const { signTestWebhook, verifyWebhook } = require('@parlance/sdk/webhooks');",
  ],
])("as %s a ten-line script posts, lists and verifies", async (_kind, file, imports) => {
  const { key } = await newTenant();
  const script = `${imports}
    async function main() {
      const parlance = new Parlance(process.env.PARLANCE_API_KEY);
      for (const text of ['one', 'two', 'three']) await parlance.conversations.create({ channelId: 'web', message: text });
      for await (const { lastMessagePreview } of parlance.conversations.list({ limit: 2 })) console.log(lastMessagePreview);
      const { data } = await parlance.events.list({ type: 'message.received' });
      console.log(data.every((event) => event.request.idempotencyKey.length === 36));
      const { payload, header } = await signTestWebhook({ payload: data[0], secret: 'whsec_AAAA' });
      console.log((await verifyWebhook({ payload, header, secret: 'whsec_AAAA' })).data.object.text);
    }
    main();`;
  writeFileSync(path.join(consumer, file), script);

  const printed = await run(process.execPath, [file], consumer, {
    PARLANCE_API_KEY: key,
    PARLANCE_BASE_URL: baseUrl(),
  });
  expect(printed.split("\n")).toEqual(["three", "two", "one", "true", "three", ""]);
});

/** The folder `node_modules` of the consumer gets these from the project's. */
const alsoInstalled = [
  "@types",
  "undici-types",
  "@modelcontextprotocol",
  "hono",
  "eventsource",
  "eventsource-parser",
  "zod",
  "stripe",
  "standardwebhooks",
  "@stablelib",
  "fast-sha256",
];

test("every TypeScript and JavaScript example compiles, in strict mode, against the package as it is installed", async () => {
  const examples = [
    ...["README.md", "sdk/README.md", ...guides()].flatMap(examplesIn),
    ...referenceSamples(),
  ];
  expect(examples.length).toBeGreaterThan(60);
  examples.push({ file: "surroundings.d.mts", code: surroundings });
  for (const { file, code } of examples) writeFileSync(path.join(consumer, file), code);
  for (const name of alsoInstalled)
    symlinkSync(path.join(root, "node_modules", name), path.join(consumer, "node_modules", name));

  const options = [
    "--noEmit",
    "--strict",
    "--module",
    "nodenext",
    "--target",
    "es2022",
    "--exactOptionalPropertyTypes",
    "--types",
    "node",
  ];
  const compile = (extension: string, ...more: string[]) => {
    const files = examples.map(({ file }) => file).filter((file) => file.endsWith(extension));
    return run(
      process.execPath,
      [path.join(root, "node_modules/typescript/bin/tsc"), ...options, ...more, ...files],
      consumer,
    );
  };
  await compile(".mts");
  // JavaScript declares no types for its parameters; everything else is checked.
  await compile(".mjs", "--allowJs", "--checkJs", "--noImplicitAny", "false");
});

test("the program of the guide replies to a message once, with the text of the knowledge base", async () => {
  const tenant = await newTenant();
  const { partition } = tenant.identity;
  const create = async (route: string, body: object) =>
    (await call(tenant, "POST", route, body)).body;
  const sentence = 'Lamps & "bulbs" that arrive broken are replaced';
  const base = await create("/knowledge-bases", { name: "Base" });
  const document = await create(`/knowledge-bases/${base.id}/documents`, {
    name: "Lamps",
    text: sentence,
  });
  await processDocument({ ...partition, id: document.id });
  const agent = await create("/agents", { name: "Concierge", knowledgeBaseIds: [base.id] });
  await mutate(system(partition), (acting) => publishAgent(acting, agent.id));

  const port = await freePort();
  const url = `http://127.0.0.1:${port}/`;
  const { id, secret } = await create("/webhooks", { url, events: ["message.received"] });
  const [example] = examplesIn("docs/guides/agents-and-knowledge.mdx").filter(({ code }) =>
    code.includes(".listen(4000)"),
  );
  const program = (example?.code ?? "")
    .replaceAll("http://localhost:3000", baseUrl())
    .replace(".listen(4000)", `.listen(${port})`);
  writeFileSync(path.join(consumer, "reply.mjs"), program);
  const running = await startServing(process.execPath, ["reply.mjs"], url, {
    cwd: consumer,
    env: { ...process.env, PARLANCE_API_KEY: tenant.key, PARLANCE_WEBHOOK_SECRET: secret },
  });
  try {
    const unsigned = await fetch(url, { method: "POST", body: "unsigned" });
    expect(unsigned.status).toBe(400);
    const message = "My lamps arrive broken. What now?";
    const conversation = await create("/conversations", {
      channelId: "web",
      agentId: agent.id,
      message,
    });
    const delivery = await db().delivery.findFirstOrThrow({ where: { webhookId: id } });
    const messages = async () =>
      (await call(tenant, "GET", `/conversations/${conversation.id}/messages`)).body.data;
    expect(await attemptDelivery({ ...partition, id: delivery.id })).toMatchObject({
      state: "delivered",
    });
    await expect.poll(async () => (await messages()).length).toBe(2);

    // The same event once more: its message already has a reply.
    await mutate(system(partition), (acting) => resendDelivery(acting, id, delivery.id));
    await attemptDelivery({ ...partition, id: delivery.id });
    const replays = () => db().requestLog.count({ where: { ...partition, isReplay: true } });
    await expect.poll(replays).toBe(1);
    expect(await messages()).toMatchObject([
      { text: message },
      { text: sentence, author: { type: "AGENT", id: agent.id } },
    ]);
  } finally {
    running.kill();
  }
});

test("the bot of the guide to the event stream replies to each message once, as the published version of its agent", async () => {
  const tenant = await newTenant();
  const { partition } = tenant.identity;
  const create = async (route: string, body: object) =>
    (await call(tenant, "POST", route, body)).body;
  const sentence = "Broken lamps are replaced";
  const base = await create("/knowledge-bases", { name: "Base" });
  const document = await create(`/knowledge-bases/${base.id}/documents`, {
    name: "Lamps",
    text: sentence,
  });
  await processDocument({ ...partition, id: document.id });
  const agent = await create("/agents", { name: "Concierge", knowledgeBaseIds: [base.id] });
  await mutate(system(partition), (acting) => publishAgent(acting, agent.id));
  await call(tenant, "PATCH", `/agents/${agent.id}`, { name: "Draft", knowledgeBaseIds: [] });

  const [example] = examplesIn("docs/guides/event-stream.mdx").filter(({ code }) =>
    code.includes("agentVersion"),
  );
  const program = (example?.code ?? "").replaceAll("http://localhost:3000", baseUrl());
  const lines = program.split("\n").filter((line) => line.trim() !== "");
  expect(lines.length).toBeLessThanOrEqual(20);
  writeFileSync(path.join(consumer, "stream-bot.mjs"), program);
  const child = spawn(process.execPath, ["stream-bot.mjs"], {
    cwd: consumer,
    env: { ...process.env, PARLANCE_API_KEY: tenant.key },
    stdio: ["ignore", "inherit", "inherit"],
  });
  try {
    const asked: string[] = [];
    const messagesOf = async (id: string) =>
      (await call(tenant, "GET", `/conversations/${id}/messages`)).body.data;
    // The stream begins with the next event, so what is asked before it opens has no reply.
    const ask = async () => {
      const body = { channelId: "web", agentId: agent.id, message: "My lamps are broken" };
      asked.push((await create("/conversations", body)).id);
      const replied = await Promise.all(asked.map(async (id) => (await messagesOf(id)).length > 1));
      return replied.includes(true);
    };
    await expect.poll(ask, { interval: 200 }).toBe(true);
    const last = (
      await create("/conversations", {
        channelId: "web",
        agentId: agent.id,
        message: "Are broken lamps replaced?",
      })
    ).id;
    await expect.poll(async () => (await messagesOf(last)).length).toBe(2);
    expect(await messagesOf(last)).toMatchObject([
      { direction: "INBOUND" },
      { text: sentence, author: { type: "AGENT", id: agent.id, name: "Concierge" } },
    ]);
    for (const id of asked) expect((await messagesOf(id)).length).toBeLessThanOrEqual(2);
  } finally {
    child.kill();
  }
});

test("the types work with TypeScript 5.0, and take a Buffer, a stream and the headers of a request", async () => {
  const code = `import { createReadStream } from "node:fs";
    import type { IncomingMessage } from "node:http";
    import { Parlance, type UnknownEvent, type WebhookEvent } from "@parlance/sdk";
    import { verifyWebhook } from "@parlance/sdk/webhooks";
    export async function use(parlance: Parlance, request: IncomingMessage, body: Buffer) {
      await parlance.knowledgeBases.documents.upload("kb_1", { file: body, name: "a.txt" });
      await parlance.knowledgeBases.documents.upload("kb_1", { file: createReadStream("a.txt") });
      await parlance.knowledgeBases.documents.upload("kb_1", { file: await fetch("https://example.com"), name: "a.html" });
      const items = await parlance.customers.list().toArray({ limit: 3 });
      const event = await verifyWebhook({ payload: body, header: request.headers, secret: "whsec_" });
      await verifyWebhook({ payload: body, header: new Headers(), secret: "whsec_" });
      return [items[0]?.id, event.type];
    }
    // A switch over all types leaves only those that this package does not know.
    export function isKnown(event: WebhookEvent): boolean {
      switch (event.type) {
        ${[...eventTypes, "webhook.test"].map((name) => `case "${name}":`).join(" ")}
          return true;
        default: {
          const unknown: UnknownEvent = event;
          return unknown.type === undefined;
        }
      }
    }
    export function isMessage(event: WebhookEvent): string {
      if (event.type === "message.received") return event.data.object.text;
      // @ts-expect-error Other types are left, and TypeScript says so.
      const unknown: UnknownEvent = event;
      return unknown.type;
    }`;
  writeFileSync(path.join(consumer, "old.mts"), code);
  const options = [
    "--noEmit",
    "--strict",
    "--module",
    "nodenext",
    "--target",
    "es2022",
    "--exactOptionalPropertyTypes",
    "--types",
    "node",
  ];
  await run(
    process.execPath,
    [path.join(sdk, "node_modules/typescript/bin/tsc"), ...options, "old.mts"],
    consumer,
  );
});

test("the sources need only what every runtime has", async () => {
  await run(
    process.execPath,
    [path.join(root, "node_modules/typescript/bin/tsc"), "-p", sdk],
    root,
  );
});

const withoutDynamicImports: Plugin = {
  name: "without-dynamic-imports",
  setup: ({ onResolve }) =>
    onResolve({ filter: /./ }, ({ kind }) =>
      kind === "dynamic-import" ? { external: true } : undefined,
    ),
};

async function compressedSize(source: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents: source, resolveDir: sdk },
    bundle: true,
    minify: true,
    format: "esm",
    write: false,
    logLevel: "error",
    // A test of what remains of an unused import would warn about just that.
    logOverride: { "ignored-bare-import": "silent" },
    plugins: [withoutDynamicImports],
  });
  return gzipSync(outputFiles[0]?.contents ?? "").byteLength;
}

function toArrayBuffer(bytes: Buffer): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}

const guides = () =>
  readdirSync(path.join(root, "docs/guides")).map((file) => `docs/guides/${file}`);

/** Names that a page uses without importing them again. */
const surroundings = `import type { Parlance } from "@parlance/sdk";
  declare global {
    const parlance: Parlance;
    const request: Request;
    const loadCursor: () => Promise<string | undefined>;
    const saveCursor: (cursor: string | undefined) => Promise<void>;
    const handle: (event: { type: string }) => Promise<void>;
  }`;

/** The TypeScript and JavaScript of a page; file names say where it comes from. */
function examplesIn(page: string) {
  const text = readFileSync(path.join(root, page), "utf8").replaceAll(
    "%ORIGIN%",
    "http://localhost:3000",
  );
  const blocks = [...text.matchAll(/^```(ts|typescript|js|javascript)\b.*\n([\s\S]*?)^```$/gm)];
  const name = page.replaceAll(/\W+/g, "-");
  // Express is not among the project's packages.
  const compiled = blocks.filter(([, , code = ""]) => !code.includes('from "express"'));
  return compiled.map(([, language = "", code = ""], index) => ({
    file: `${name}-${index + 1}.${language.startsWith("t") ? "mts" : "mjs"}`,
    // Examples that use await at the top are modules, and so are the others.
    code: `${code}\nexport {};\n`,
  }));
}

/** The call that the API reference shows for each operation. */
function referenceSamples() {
  return describedOperations().map((described) => ({
    file: `${described.operation.operationId}.mts`,
    code: clientSample(described, "http://localhost:3000"),
  }));
}
