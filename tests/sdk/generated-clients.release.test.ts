import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";
import { openApiDocument } from "@/lib/api/openapi";

// Clients in other languages, generated from the OpenAPI document by the most used generators,
// compile.

const goGenerator = "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2";
const pythonGenerator = "openapi-python-client==0.29.1";
// Newer versions of the second need Node 22.
const typeScriptPackages = [
  "openapi-typescript@7.13.0",
  "openapi-fetch@0.17.0",
  "@hey-api/openapi-ts@0.95.0",
  "typescript@5.9.3",
];

const folder = mkdtempSync(path.join(tmpdir(), "parlance-clients-"));
const document = openApiDocument({
  serverUrl: "https://api.parlance.test",
  errorBase: "https://api.parlance.test/docs",
});
writeFileSync(path.join(folder, "openapi.json"), JSON.stringify(document));
// Go writes its module cache read-only.
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const hasGo = spawnSync("go", ["version"]).status === 0;
const hasPython = spawnSync("python3", ["-c", "import venv"]).status === 0;
if (!hasGo) process.stdout.write("No Go client is generated: go is missing.\n");
if (!hasPython)
  process.stdout.write("No Python client is generated: python3 or its venv module is missing.\n");

const run = async (command: string, ...args: string[]): Promise<string> => {
  const result = promisify(execFile)(command, args, { cwd: folder, maxBuffer: 2 ** 26 });
  const { stdout } = await result.catch((error) =>
    expect.fail(`${command} failed:\n${error.stdout}${error.stderr}`),
  );
  return stdout;
};

test.skipIf(!hasGo)(
  "Go, by oapi-codegen: it compiles, and an event is discriminated by its type",
  { timeout: 900_000 },
  async () => {
    writeFileSync(path.join(folder, "go.mod"), "module example.com/client\n\ngo 1.24\n");
    await run(
      "go",
      "run",
      goGenerator,
      "-generate",
      "types,client",
      "-package",
      "client",
      "-o",
      "client.go",
      "openapi.json",
    );
    await run("go", "mod", "tidy");
    await run("go", "build", "./...");
    const source = readFileSync(path.join(folder, "client.go"), "utf8");
    for (const declared of [
      "type EventName string",
      "type EventTypeInfo struct",
      "type ConversationStatus string",
      "AsMessageReceivedEvent()",
    ]) {
      expect(source).toContain(declared);
    }
  },
);

test.skipIf(!hasPython)(
  "Python, by openapi-python-client: every module can be imported",
  { timeout: 900_000 },
  async () => {
    await run("python3", "-m", "venv", "venv");
    const python = path.join(folder, "venv/bin/python");
    await run(
      python,
      "-m",
      "pip",
      "install",
      "--quiet",
      "--disable-pip-version-check",
      pythonGenerator,
      "ruff",
    );
    process.env.PATH = `${path.join(folder, "venv/bin")}${path.delimiter}${process.env.PATH}`;
    const printed = await run(
      "venv/bin/openapi-python-client",
      "generate",
      "--path",
      "openapi.json",
      "--output-path",
      "client",
      "--fail-on-warning",
    );
    expect(printed).not.toContain("Warning");
    const program = `
import sys, pkgutil, importlib
sys.path.insert(0, "client")
import parlance_api_client as package
for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."): importlib.import_module(module.name)
from parlance_api_client.models import ConversationStatus, EventName, EventTypeInfo, MessageReceivedEvent
print(EventName("message.received"), ConversationStatus.OPEN)`;
    expect(await run(python, "-c", program)).toBe("message.received OPEN\n");
  },
);

/** A program that reads a response and an event. The compiler refuses fields that they lack. */
const typeScriptUse = (call: string, conversation: string, event: string) => `
export async function open(): Promise<string | null> {
  const { data, error } = await ${call};
  if (error) return error.title;
  // @ts-expect-error: a conversation has no such field.
  data.channel;
  const created: ${conversation} = data;
  return created.channelId;
}
export function textOf(event: ${event}): string | null {
  // @ts-expect-error: not every event has a text.
  event.data.object.text;
  return event.type === "message.received" ? event.data.object.text : null;
}
`;

test("TypeScript, by openapi-typescript and by @hey-api/openapi-ts: they compile, and events are discriminated by their type", {
  timeout: 900_000,
}, async () => {
  writeFileSync(path.join(folder, "package.json"), '{ "private": true, "type": "module" }');
  await run("npm", "install", "--no-audit", "--no-fund", ...typeScriptPackages);
  const bin = (name: string) => path.join(folder, "node_modules/.bin", name);
  // Otherwise it declares fields with a default as required, in what is sent, too.
  const flags = ["--default-non-nullable", "false"];
  await run(bin("openapi-typescript"), "openapi.json", "--output", "types.ts", ...flags);
  await run(bin("openapi-ts"), "--input", "openapi.json", "--output", "hey");

  const sent = `headers: { "Idempotency-Key": "order-1042" }, body: { channelId: "web", message: "Hello" }`;
  writeFileSync(
    path.join(folder, "use-types.ts"),
    `import createClient from "openapi-fetch";
import type { components, paths } from "./types";
type Schemas = components["schemas"];
const api = createClient<paths>({ baseUrl: "https://api.parlance.test" });
${typeScriptUse(`api.POST("/v1/public/conversations", { ${sent} })`, `Schemas["Conversation"]`, `Schemas["Event"]`)}`,
  );
  writeFileSync(
    path.join(folder, "use-hey.ts"),
    `import { type Conversation, createConversation, type Event } from "./hey";
${typeScriptUse(`createConversation({ ${sent} })`, "Conversation", "Event")}`,
  );
  const options = [
    "--noEmit",
    "--strict",
    "--target",
    "es2022",
    "--lib",
    "es2022,dom,dom.iterable",
  ];
  const modules = ["--module", "esnext", "--moduleResolution", "bundler"];
  await run(bin("tsc"), ...options, ...modules, "use-types.ts", "use-hey.ts");
});
