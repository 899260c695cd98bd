// cspell:ignore rfile
// Walks the first hour of a newcomer against a running service, and prints how long each step takes:
//
//   npm run newcomer -- <data directory of npm start>
//
// It installs the clients from the service and the repository into a temporary folder, and leaves
// its objects in the test environment. The result goes into docs/release-checks.md.

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

const { url, keys } = JSON.parse(
  readFileSync(path.join(process.argv[2] ?? ".data", "demo.json"), "utf8"),
);
const folder = mkdtempSync(path.join(tmpdir(), "parlance-newcomer-"));
/** Not with npx, which would leave the program behind when it ends. */
const command = path.join(folder, "node_modules/.bin/parlance");
const env = {
  ...process.env,
  PARLANCE_API_KEY: keys.test,
  PARLANCE_BASE_URL: url,
  PARLANCE_CONFIG_DIR: folder,
};
/** @type {import("node:child_process").ChildProcess[]} */
const started = [];

/** @param {string} program @param {string[]} args */
const run = (program, ...args) =>
  execFileSync(program, args, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] }).toString();

/**
 * Starts a program, and waits until it prints a text.
 * @param {RegExp} text @param {Record<string, string>} more @param {string} program @param {string[]} args
 */
async function start(text, more, program, ...args) {
  const child = spawn(program, args, { cwd: folder, env: { ...env, ...more } });
  started.push(child);
  const printed = { text: "" };
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => {
      printed.text += chunk;
    });
  return { printed, match: await until(printed, text) };
}

/** @param {{ text: string }} printed @param {RegExp} pattern */
async function until(printed, pattern) {
  for (;;) {
    const match = pattern.exec(printed.text);
    if (match) return match;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/**
 * @template Result
 * @param {string} name @param {() => Result | Promise<Result>} work
 */
async function step(name, work) {
  const startedMs = performance.now();
  const result = await work();
  const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
  process.stdout.write(`| ${name} | ${seconds} s |\n`);
  return result;
}

/** The fastest of five runs, in milliseconds. @param {string[]} args */
function fastestMs(...args) {
  const times = Array.from({ length: 5 }, () => {
    const startedMs = performance.now();
    run(process.execPath, ...args);
    return performance.now() - startedMs;
  });
  return Math.round(Math.min(...times));
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  server.close();
  return String(port);
}

const pythonReceiver = `
import os, sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from parlance import WebhookVerificationError, verify_webhook

class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            event = verify_webhook(payload=body, headers=dict(self.headers), secret=os.environ["PARLANCE_WEBHOOK_SECRET"])
            status, text = 200, "Verified " + event.type
        except WebhookVerificationError as error:
            status, text = 400, "Rejected " + error.code
        self.send_response(status)
        self.end_headers()
        print(text, flush=True)

server = HTTPServer(("127.0.0.1", int(sys.argv[1])), Receiver)
print("Listening", flush=True)
server.serve_forever()
`;

try {
  await step("the commands of the quickstart, up to a signed event", async () => {
    const ownPort = await freePort();
    const guide = readFileSync("docs/guides/quickstart.mdx", "utf8")
      .replaceAll("%ORIGIN%", url)
      .replaceAll("4000", ownPort);
    const blocks = [...guide.matchAll(/^```bash\n([\s\S]*?)^```$/gm)].map(([, text = ""]) => text);
    const [, check = "", create = "", receive = "", register = ""] = blocks;
    run("bash", "-euc", check);
    const receiver = await start(/^/, {}, "bash", "-euc", `exec ${receive}`);
    while (!(await fetch(`http://127.0.0.1:${ownPort}`).catch(() => null))?.ok);
    const { id } = JSON.parse(run("bash", "-euc", register));
    run("bash", "-euc", create);
    await until(receiver.printed, /t=\d+,v1=\w+[\s\S]*"type":"message\.received"/);
    const headers = { Authorization: `Bearer ${keys.test}` };
    await fetch(`${url}/v1/public/webhooks/${id}`, { method: "DELETE", headers });
  });
  await step("`npm install …/sdk.tgz`", () => {
    writeFileSync(path.join(folder, "package.json"), '{ "private": true, "type": "module" }');
    run("npm", "install", "--no-audit", "--no-fund", `${url}/sdk.tgz`);
  });
  const importing =
    'import { Parlance } from "@parlance/sdk"; new Parlance(process.env.PARLANCE_API_KEY)';
  const startUps = {
    "an empty program in Node": fastestMs("--eval", ""),
    "a program that imports the client": fastestMs("--input-type=module", "--eval", importing),
    "`parlance --version`": fastestMs(command, "--version"),
  };
  for (const [name, ms] of Object.entries(startUps))
    process.stdout.write(`| start-up of ${name} | ${ms} ms |\n`);
  const port = await freePort();
  const listening = await step("`parlance listen` connects and prints its secret", () =>
    start(
      /secret is (whsec_\S+)\.[\s\S]*Connected/,
      {},
      ...[process.execPath, command, "listen", "--forward-to", `http://127.0.0.1:${port}/`],
    ),
  );
  const secret = { PARLANCE_WEBHOOK_SECRET: listening.match[1] ?? "" };
  await step(
    "the receiver of the README verifies `parlance trigger message.received`",
    async () => {
      const readme = readFileSync("README.md", "utf8");
      const code = /```js\n([\s\S]*?)```/.exec(readme)?.[1] ?? "";
      writeFileSync(
        path.join(folder, "receiver.mjs"),
        `${code.replace("4000", port)}console.log("Started");`,
      );
      const receiver = await start(/Started/, secret, process.execPath, "receiver.mjs");
      run("npx", "parlance", "trigger", "message.received");
      await until(receiver.printed, /Verified message\.received/);
    },
  );
  await step("`parlance logs tail --status 4xx` shows a request that was rejected", async () => {
    const tail = [command, "logs", "tail", "--status", "4xx"];
    const { printed } = await start(/Connected/, {}, process.execPath, ...tail);
    await fetch(`${url}/v1/public/conversations`, {
      method: "POST",
      headers: { Authorization: `Bearer ${keys.test}`, "Content-Type": "application/json" },
      body: "{}",
    });
    await until(printed, / 422 {2}POST .* validation/);
  });
  const python = path.join(folder, "venv/bin/python");
  await step("`pip install …/parlance-….whl` in a new virtual environment", async () => {
    run("python3", "-m", "venv", "venv");
    const wheel = (await fetch(`${url}/sdk.whl`)).url;
    run(python, "-m", "pip", "install", "--quiet", wheel);
  });
  await step("a receiver in Python verifies a message that Python creates", async () => {
    writeFileSync(path.join(folder, "receiver.py"), pythonReceiver);
    const pythonPort = await freePort();
    const receiver = await start(/Listening/, secret, python, "receiver.py", pythonPort);
    await start(
      /Connected/,
      {},
      ...[process.execPath, command, "listen", "--forward-to", `http://127.0.0.1:${pythonPort}/`],
    );
    const create = 'Parlance().conversations.create(channel_id="web", message="Hello from Python")';
    run(python, "-c", `from parlance import Parlance; ${create}`);
    await until(receiver.printed, /Verified message\.received/);
  });
  await step("a program stores a document through MCP and finds its text", async () => {
    const client = new Client({ name: "newcomer", version: "1.0.0" });
    const requestInit = { headers: { Authorization: `Bearer ${keys.test}` } };
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${url}/mcp?write=true`), { requestInit }),
    );
    const call = async (/** @type {string} */ name, /** @type {object} */ input) => {
      const { content, isError } = await client.callTool({ name, arguments: { ...input } });
      const text = content[0]?.type === "text" ? content[0].text : "";
      if (isError) throw new Error(`${name} failed: ${text}`);
      return JSON.parse(text);
    };
    const base = await call("createKnowledgeBase", { name: `Help ${Date.now()}` });
    const document = {
      knowledgeBaseId: base.id,
      name: "Returns",
      text: "You can return a lamp within 30 days, in its box.",
    };
    await call("createDocument", document);
    for (;;) {
      const question = { q: "return lamp", knowledgeBaseIds: [base.id] };
      const { data } = await call("searchKnowledge", question);
      if (data.length > 0) break;
    }
    await client.close();
  });
} finally {
  // A program that still writes would fill the folder while it is removed.
  const ends = started
    .filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)
    .map((child) => once(child, "exit"));
  for (const child of started) child.kill();
  await Promise.all(ends);
  rmSync(folder, { recursive: true, force: true });
}
