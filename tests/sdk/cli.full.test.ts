// cspell:ignore wehbooks forwardto CWORD COMPREPLY compadd ZDOTDIR
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { build } from "esbuild";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { attemptDelivery } from "@/lib/deliveries/engine/attempt-delivery";
import { db } from "@/lib/platform/db";
import { commands } from "@/sdk/cli/commands";
import { verifyWebhook } from "@/sdk/src/webhooks";
import { baseUrl, call, newKey, newTenant } from "../support/api";
import { startReceiver } from "../support/receiver";

// The command line as a user runs it, as a process of its own.

const folder = mkdtempSync(path.join(tmpdir(), "parlance-cli-"));
const program = path.join(folder, "parlance.mjs");
const started: ChildProcess[] = [];

beforeAll(() =>
  build({
    entryPoints: ["sdk/cli/main.ts"],
    outfile: program,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    logLevel: "error",
  }),
);
afterEach(() => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A user with their own settings, and a key in the environment unless they sign in. */
function newUser(key?: string) {
  const config = mkdtempSync(path.join(folder, "user-"));
  const start = (...args: string[]) => {
    const { PARLANCE_API_KEY: _, ...outside } = process.env;
    const child = spawn(process.execPath, [program, ...args], {
      env: {
        ...outside,
        PARLANCE_CONFIG_DIR: config,
        PARLANCE_BASE_URL: baseUrl(),
        ...(key && { PARLANCE_API_KEY: key }),
      },
    });
    started.push(child);
    return child;
  };
  const parlance = async (args: string[], input = "") => {
    const child = start(...args);
    const texts = { output: "", problem: "" };
    child.stdout?.on("data", (chunk) => {
      texts.output += chunk;
    });
    child.stderr?.on("data", (chunk) => {
      texts.problem += chunk;
    });
    // A command can end before it has read its input.
    child.stdin?.on("error", () => {}).end(input);
    const [exitCode] = await once(child, "close");
    return { exitCode, ...texts };
  };
  return { config: path.join(config, "config.json"), start, parlance };
}

/** What a running command prints, line by line, parsed. */
async function* results(child: ChildProcess) {
  if (!child.stdout) throw new Error("no output");
  for await (const line of createInterface({ input: child.stdout })) yield JSON.parse(line);
}

/** Resolves once the command has said that it is ready. */
async function ready(child: ChildProcess): Promise<string> {
  let text = "";
  for await (const chunk of child.stderr ?? []) {
    text += chunk;
    if (text.includes("Connected")) break;
  }
  return text;
}

/** What a running command has said on standard error. */
function notesOf(child: ChildProcess): () => string {
  let text = "";
  child.stderr?.on("data", (chunk) => {
    text += chunk;
  });
  return () => text;
}

/** Passes requests on to the service, unless it is broken. */
async function startProxy() {
  const server = createServer(async (request, response) => {
    if (proxy.isBroken) return void request.socket.destroy();
    const passed = await fetch(`${baseUrl()}${request.url}`, {
      headers: { authorization: request.headers.authorization ?? "" },
    });
    const { status, headers } = passed;
    response.writeHead(status, { date: headers.get("date") ?? "" }).end(await passed.text());
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const proxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    isBroken: false,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
  return proxy;
}

test("every command has help, which needs no key and ends with 0", async () => {
  const { parlance } = newUser();
  const overview = await parlance([]);
  expect([overview.exitCode, overview.problem]).toEqual([0, ""]);
  for (const { name, options = {} } of commands) {
    expect(overview.output).toContain(`  ${name}`);
    const { exitCode, output, problem } = await parlance([...name.split(" "), "--help"]);
    expect([name, exitCode, problem]).toEqual([name, 0, ""]);
    for (const option of ["json", ...Object.keys(options)]) expect(output).toContain(`--${option}`);
  }
  expect((await parlance(["--version"])).output).toMatch(/^\d+\.\d+\.\d+\n$/);
});

test.each([
  [["wehbooks", "list"], 'no command "wehbooks". Did you mean "webhooks list"?'],
  [["listen", "--forwardto", "x"], "no option --forwardto. Did you mean --forward-to?"],
  [["listen"], "Give the receiver"],
  [["listen", "--forward-to", "ftp://x"], "must be an http or https URL"],
  [["listen", "--forward-to", "localhost:1", "--secret", "whsec_é"], "--secret must be a signing"],
  [["webhooks", "resend", "wh_1"], "Give <delivery>."],
  [["webhooks", "deliveries"], "Give <webhook>."],
  [["webhooks", "deliveries", "wh_1", "--status", "held,lost"], 'and not "lost"'],
  [["webhooks", "deliveries", "wh_1", "--limit", "1001"], "a number from 1 to 1000"],
  [["logs", "tail", "--status", "teapot"], "--status must be a status such as 404"],
  [["logs", "tail", "--since", "yesterday"], "--since must be a time"],
  [["logs", "trail"], 'no command "logs trail". Did you mean "logs tail"?'],
  [["whoami", "extra"], 'no argument for "extra"'],
  [["--json", "whoami"], "Write --json after the command"],
  [["completion", "csh"], '"csh" is not a supported shell. Choose one of: bash, zsh, fish.'],
  [["open", "--base-url", "nonsense"], 'must start with http:// or https://. "nonsense" does not.'],
  [["open", "logs"], 'no page "logs". Pages: dashboard'],
  [["whoami"], "There is no API key. Run `parlance login`"],
])("invalid arguments %j end with 2 and an explanation", async (args, message) => {
  const { exitCode, output, problem } = await newUser().parlance(args);
  expect([exitCode, output]).toEqual([2, ""]);
  expect(problem).toContain(message);
});

test("login stores a valid key where only the user can read it, and logout deletes it", async () => {
  const { key, tenantId } = await newTenant();
  const { parlance, config } = newUser();
  expect(await parlance(["login"], `prl_test_${"x".repeat(40)}\n`)).toMatchObject({
    exitCode: 1,
    problem: expect.stringContaining("401 unauthorized"),
  });
  expect((await parlance(["login", "--json"], `${key}\n`)).exitCode).toBe(0);
  expect(statSync(config).mode & 0o777).toBe(0o600);
  const { output } = await parlance(["whoami", "--json"]);
  expect(JSON.parse(output)).toMatchObject({ id: tenantId, environment: "test" });
  expect((await parlance(["logout"])).exitCode).toBe(0);
  expect((await parlance(["whoami"])).exitCode).toBe(2);
});

test("settings that cannot be written are explained in one line", async () => {
  const { key } = await newTenant();
  const { parlance, config } = newUser(key);
  // A folder is in the place of the file.
  mkdirSync(config);
  const { exitCode, output, problem } = await parlance(["login", "--api-key", key]);
  expect([exitCode, output]).toEqual([1, ""]);
  expect(problem).toMatch(/^E[A-Z]+: [^\n]+\n$/);
});

test("listen forwards every event in order, signed, and resumes after the last one", async () => {
  const { key } = await newTenant();
  const { start, parlance, config } = newUser(key);
  const receiver = await startReceiver();
  const listen = ["listen", "--forward-to", receiver.url, "--events", "conversation.created"];

  const first = start(...listen, "--json");
  const secret = /secret is (whsec_\S+)\./.exec(await ready(first))?.[1];
  const create = async () =>
    JSON.parse((await parlance(["trigger", "conversation.created", "--json"])).output).id;
  const ids = [await create(), await create()];
  const lines = results(first);
  for (const status of [200, 200])
    expect((await lines.next()).value).toMatchObject({
      type: "conversation.created",
      status,
      error: null,
    });
  // The last event is stored right after it was shown.
  await expect
    .poll(() => Object.values(JSON.parse(readFileSync(config, "utf8")).lastForwarded ?? {}))
    .toEqual([JSON.parse(receiver.requests[1]?.body ?? "{}").id]);
  first.kill("SIGINT");
  expect(await once(first, "exit")).toEqual([0, null]);

  ids.push(await create());
  receiver.respondWith(500);
  const second = start(...listen, "--resume", "--json");
  expect((await results(second).next()).value).toMatchObject({ status: 500, error: null });

  const events = await Promise.all(
    receiver.requests.map(({ body, headers }) =>
      verifyWebhook({ payload: body, header: headers, secret }),
    ),
  );
  expect(events.map(({ data }) => (data.object as { id: string }).id)).toEqual(ids);
  await receiver.close();
});

test("listen shows why a receiver does not respond, and refuses a live key unless it is allowed", async () => {
  const { key } = await newTenant();
  const { start, parlance } = newUser(key);
  const receiver = await startReceiver();
  await receiver.close();
  const child = start("listen", "--forward-to", receiver.url, "--json");
  await ready(child);
  await parlance(["trigger", "customer.created"]);
  expect((await results(child).next()).value).toMatchObject({
    status: null,
    error: "ECONNREFUSED",
  });

  const live = newUser(`prl_live_${"x".repeat(40)}`);
  expect(await live.parlance(["listen", "--forward-to", receiver.url])).toMatchObject({
    exitCode: 2,
    problem: expect.stringContaining("This key is live"),
  });
  expect(await live.parlance(["trigger", "customer.created"])).toMatchObject({ exitCode: 2 });
});

test.each([[["whoami"]], [["trigger", "customer.created"]], [["webhooks", "list"]]])(
  "%j ends with 1 if it is interrupted before its response",
  async (command) => {
    const silent = createServer().listen(0, "127.0.0.1");
    await once(silent, "listening");
    const { port } = silent.address() as AddressInfo;
    const { start } = newUser(`prl_test_${"x".repeat(40)}`);
    const child = start(...command, "--base-url", `http://127.0.0.1:${port}`);
    const notes = notesOf(child);
    await once(silent, "request");
    child.kill("SIGINT");
    expect(await once(child, "close")).toEqual([1, null]);
    expect(notes()).toBe("Interrupted.\n");
    silent.closeAllConnections();
    silent.close();
  },
);

test("a command whose reader ends first ends, too, with 0 and without a message", async () => {
  const { key } = await newTenant();
  const { start, parlance } = newUser(key);
  const tail = start("events", "tail", "--json");
  await ready(tail);
  const notes = notesOf(tail);
  tail.stdout?.destroy();
  const exit = once(tail, "exit");
  await parlance(["trigger", "customer.created"]);
  expect(await exit).toEqual([0, null]);
  expect(notes()).toBe("");
});

test.skipIf(!existsSync("/dev/full"))(
  "output that cannot be written is explained in one line, and ends with 1",
  async () => {
    const fullDisk = openSync("/dev/full", "w");
    const child = spawnSync(process.execPath, [program, "--version"], {
      stdio: ["ignore", fullDisk, "pipe"],
      encoding: "utf8",
    });
    closeSync(fullDisk);
    expect(child.status).toBe(1);
    expect(child.stderr).toMatch(/^The output could not be written: ENOSPC.*\n$/);
  },
);

test("a server that is away is explained in one line, with or without its http://", async () => {
  const { parlance } = newUser(`prl_test_${"x".repeat(40)}`);
  const gone = createServer().listen(0, "127.0.0.1");
  await once(gone, "listening");
  const { port } = gone.address() as AddressInfo;
  gone.close();
  for (const scheme of ["http://", ""]) {
    const address = `${scheme}127.0.0.1:${port}`;
    const { exitCode, output, problem } = await parlance(["whoami", "--base-url", address]);
    expect([exitCode, output]).toEqual([1, ""]);
    expect(problem).toMatch(new RegExp(`^GET http://127\\.0\\.0\\.1:${port}/[^\\n]+\\n$`));
  }
});

test("trigger raises each type that it names, and events tail prints them", async () => {
  const { key } = await newTenant();
  const { start, parlance } = newUser(key);
  const { problem } = await parlance(["trigger", "webhook.disabled"]);
  const types = problem.match(/Types: (.*)\. See/)?.[1]?.split(", ") ?? [];
  expect(types.length).toBeGreaterThan(8);

  const tail = start("events", "tail", "--json", "--events", types.join());
  await ready(tail);
  const events = results(tail);
  for (const type of types) {
    const { output, exitCode } = await parlance(["trigger", type, "--json"]);
    expect([type, exitCode]).toEqual([type, 0]);
    const { id } = JSON.parse(output);
    for (;;) {
      const { value } = await events.next();
      if (value.type === type && JSON.stringify(value.data).includes(id)) break;
    }
  }
});

test("logs tail prints each request once, without its own, and continues after an outage", async () => {
  const { key } = await newTenant();
  const { start } = newUser(key);
  const proxy = await startProxy();
  const tail = start("logs", "tail", "--json", "--status", "4xx", "--base-url", proxy.url);
  const requests = results(tail);
  const notes = notesOf(tail);
  await expect.poll(notes).toContain("Connected. Press Ctrl-C");
  const next = async () => (await requests.next()).value;

  await call({ key }, "GET", "/customers");
  const missing = await call({ key }, "GET", "/customers/cus_00000000000000000000000000");
  expect(await next()).toMatchObject({
    id: missing.headers.get("x-request-id"),
    status: 404,
    errorKind: "not-found",
  });

  proxy.isBroken = true;
  await expect.poll(notes).toContain("Trying again.");
  const invalid = await call({ key }, "POST", "/customers", {});
  proxy.isBroken = false;
  expect((await next()).id).toBe(invalid.headers.get("x-request-id"));
  await expect.poll(notes).toContain("Connected again.");

  const last = await call({ key }, "POST", "/agents", {});
  expect((await next()).id).toBe(last.headers.get("x-request-id"));
  tail.kill("SIGINT");
  expect(await once(tail, "exit")).toEqual([0, null]);
  await proxy.close();
});

test("logs tail starts at a time, and says what a key without every read scope sees", async () => {
  const tenant = await newTenant();
  const narrow = await newKey(tenant, { scopes: ["read:usage"] });
  await call(tenant, "GET", "/customers");
  const own = await call(narrow, "GET", "/account");
  const tail = newUser(narrow.key).start(
    ...["logs", "tail", "--since", "2026-01-01T00:00:00Z", "--path", "/account", "--method", "get"],
  );
  expect(await ready(tail)).toContain("sees only its own requests");
  const lines = createInterface({ input: tail.stdout as Readable })[Symbol.asyncIterator]();
  const { value: first } = await lines.next();
  expect(first).toMatch(
    new RegExp(
      `^\\S+Z  200  GET     /v1/public/account  \\d+ ms  ${own.headers.get("x-request-id")}$`,
    ),
  );
  const later = await call(narrow, "GET", "/account");
  expect((await lines.next()).value).toContain(later.headers.get("x-request-id"));
});

test("webhooks are listed, tested, resent and replayed", async () => {
  const tenant = await newTenant();
  const { parlance } = newUser(tenant.key);
  const receiver = await startReceiver();
  const { body: webhook } = await call(tenant, "POST", "/webhooks", {
    url: receiver.url,
    events: ["*"],
  });
  const json = async (...args: string[]) => {
    const { output, problem } = await parlance([...args, "--json"]);
    expect(problem).toBe("");
    return JSON.parse(output);
  };
  expect(await json("webhooks", "list")).toMatchObject([{ id: webhook.id }]);
  const { output } = await parlance(["webhooks", "test", webhook.id, "--type", "customer.created"]);
  const [, deliveryId = ""] =
    /^Sending customer\.created as delivery (dlv_\w+)\.\n$/.exec(output) ?? [];
  expect(await parlance(["webhooks", "resend", webhook.id, deliveryId])).toMatchObject({
    exitCode: 1,
    problem: expect.stringMatching(/^409 /),
  });
  await json("trigger", "customer.created");
  // Names of knowledge bases are unique.
  await json("trigger", "knowledge_base.created");
  await json("trigger", "knowledge_base.created");
  expect(
    await json("webhooks", "replay", webhook.id, "--since", "2026-01-01T00:00:00Z", "--dry-run"),
  ).toEqual({ count: 0, isMore: false });
  await receiver.close();
});

test("the deliveries of a webhook are listed newest first, by status, and can be resent by their id", async () => {
  const tenant = await newTenant();
  const { parlance } = newUser(tenant.key);
  const receiver = await startReceiver();
  const { body: webhook } = await call(tenant, "POST", "/webhooks", {
    url: receiver.url,
    events: ["*"],
  });
  const list = async (...args: string[]) => {
    const { output, problem } = await parlance(["webhooks", "deliveries", webhook.id, ...args]);
    expect(problem).toBe("");
    return output;
  };
  const idsOf = (output: string) => JSON.parse(output).map(({ id }: { id: string }) => id);
  expect(await list()).toBe("There are no deliveries.\n");

  const ids: string[] = [];
  for (let index = 0; index < 3; index++)
    ids.unshift((await call(tenant, "POST", `/webhooks/${webhook.id}/test`)).body.id);
  const [newest = "", middle = "", oldest = ""] = ids;
  const { tenantId, environment } = tenant;
  receiver.respondWith(500);
  await attemptDelivery({ tenantId, environment, id: oldest });
  await db().delivery.updateMany({
    where: { tenantId, environment, id: oldest },
    data: { status: "FAILED", nextAttemptAt: null },
  });
  receiver.respondWith(200);
  await attemptDelivery({ tenantId, environment, id: middle });

  expect(idsOf(await list("--json"))).toEqual(ids);
  expect(idsOf(await list("--json", "--limit", "2"))).toEqual([newest, middle]);
  expect(idsOf(await list("--json", "--status", "failed,delivered"))).toEqual([middle, oldest]);
  expect(await list("--status", "held")).toBe("No deliveries have this status.\n");
  const failed = await list("--status", "FAILED");
  expect(failed).toMatch(new RegExp(`^${oldest}  FAILED  \\S+Z  1 attempt  webhook\\.test\\n$`));
  const [id = ""] = failed.split(" ");
  expect((await parlance(["webhooks", "resend", webhook.id, id])).output).toBe(
    `Sending webhook.test as delivery ${id}.\n`,
  );
  await receiver.close();
});

const linesToComplete: [string, string[]][] = [
  ["parlance", ["listen", "webhooks"]],
  ["parlance webhooks", ["list", "deliveries", "test", "resend", "replay"]],
  ["parlance listen", ["--forward-to", "--json"]],
  ["parlance webhooks list", ["--json"]],
  ["parlance trigger", ["message.received"]],
  ["parlance completion", ["bash", "zsh", "fish"]],
];

test("the completion of bash knows commands, their second words, arguments and options", async () => {
  const { output } = await newUser().parlance(["completion", "bash"]);
  for (const [line, words] of linesToComplete) {
    const program = `${output}
COMP_WORDS=(${line} ""); COMP_CWORD=$((\${#COMP_WORDS[@]}-1)); _parlance; echo "\${COMPREPLY[*]}"`;
    const found = execFileSync("bash", ["-c", program]).toString().trim().split(" ");
    expect([line, found]).toEqual([line, expect.arrayContaining(words)]);
  }
  expect((await newUser().parlance(["completion", "fish"])).output).toContain("parlance webhooks");
});

const hasZsh = spawnSync("zsh", ["--version"]).status === 0;
if (!hasZsh) process.stdout.write("The completion of zsh is not tested: zsh is missing.\n");
test.skipIf(!hasZsh)("the completion of zsh is the same, in a shell without settings", async () => {
  const { output } = await newUser().parlance(["completion", "zsh"]);
  for (const [line, words] of linesToComplete) {
    // `compadd` is what the shell would show.
    const program = `${output}
compadd() { print -- \${(P)3} }
words=(${line} ""); CURRENT=\${#words}; _parlance`;
    const env = { ...process.env, ZDOTDIR: folder, HOME: folder };
    const found = execFileSync("zsh", ["-fc", program], { env }).toString().trim().split(" ");
    expect([line, found]).toEqual([line, expect.arrayContaining(words)]);
  }
});
