import { type ChildProcess, spawn } from "node:child_process";
import { accessSync, constants, mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { createClient } from "@redis/client";

/**
 * A real Redis behind Upstash's REST protocol, as `@upstash/redis` speaks it: a command,
 * `/pipeline` and `/multi-exec`, the bearer token, base64 responses, `{error}` for what fails. As
 * at other bridges, scripts reach Redis as they are, and it rejects the `#!lua flags` that only
 * Upstash's own server knows. Redis listens on a Unix socket in a temporary folder.
 */
export type UpstashBridge = {
  url: string;
  token: string;
  /** Every command that arrived, in order, by its first word. */
  commands: string[];
  /** How many requests have arrived, with or without a response. */
  requests(): number;
  /** From now on requests are accepted but get no response, until `recover`. */
  stopAnswering(): void;
  /** From now on scripts are errors while everything else works, until `recover`. */
  refuseScripts(): void;
  /** From now on each response is that late, until `recover`. */
  respondAfter(milliseconds: number): void;
  recover(): void;
  stop(): Promise<void>;
};

type Reply = { result: unknown } | { error: string };

/** The path of `redis-server`, or null if it is not installed. In CI its absence is an error. */
export function findRedisServer(): string | null {
  for (const folder of (process.env.PATH ?? "").split(delimiter)) {
    const path = join(folder, "redis-server");
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      // Not in this folder.
    }
  }
  const sentence =
    "redis-server is not installed (apt-get install redis-server), so the limiter cannot be tested against a real Redis";
  if (process.env.CI) throw new Error(sentence);
  process.stderr.write(`${sentence}\n`);
  return null;
}

export async function startUpstashBridge(redisServer: string): Promise<UpstashBridge> {
  const folder = mkdtempSync(join(tmpdir(), "parlance-redis-"));
  const socketPath = join(folder, "redis.sock");
  const redisArguments = [
    "--port",
    "0",
    "--unixsocket",
    socketPath,
    "--save",
    "",
    "--appendonly",
    "no",
    "--dir",
    folder,
  ];
  const redisProcess = spawn(redisServer, redisArguments, { stdio: "ignore" });
  const killRedis = () => redisProcess.kill("SIGKILL");
  process.once("exit", killRedis);

  const redis = await connectToRedis(socketPath, redisProcess);
  const token = "a-token-for-tests";
  const commands: string[] = [];
  const pending = new Set<ServerResponse>();
  let requests = 0;
  let isAnswering = true;
  let isRefusingScripts = false;
  let delayMs = 0;

  const run = commandRunner(async (command) => {
    const [name = ""] = command;
    commands.push(name);
    if (isRefusingScripts && /^eval/i.test(name))
      throw new Error("ERR Unexpected flag in script shebang: allow-key-locking");
    return redis.sendCommand(command);
  });

  async function responseTo(request: IncomingMessage): Promise<{ status: number; body: unknown }> {
    const body = await text(request);
    if (request.headers.authorization !== `Bearer ${token}`) {
      return { status: 401, body: { error: "WRONGPASS invalid or missing auth token" } };
    }
    const encode =
      request.headers["upstash-encoding"] === "base64" ? encodeReply : (reply: Reply) => reply;
    const parsed: unknown = JSON.parse(body);

    if (request.url === "/pipeline") {
      return { status: 200, body: (await Promise.all(parseCommands(parsed).map(run))).map(encode) };
    }
    if (request.url === "/multi-exec") {
      const transaction = redis.multi();
      for (const command of parseCommands(parsed)) transaction.addCommand(command);
      const results: unknown[] = await transaction.exec();
      return { status: 200, body: results.map((result) => encode({ result })) };
    }
    const reply = await run(parseCommand(parsed));
    return { status: "error" in reply ? 400 : 200, body: encode(reply) };
  }

  const server = createServer(async (request, response) => {
    requests += 1;
    if (!isAnswering) {
      pending.add(response);
      return;
    }
    const { status, body } = await responseTo(request).catch((error: Error) => ({
      status: 400,
      body: { error: error.message },
    }));
    if (delayMs > 0) await sleep(delayMs);
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token,
    commands,
    requests: () => requests,
    stopAnswering: () => {
      isAnswering = false;
    },
    respondAfter: (milliseconds) => {
      delayMs = milliseconds;
    },
    refuseScripts: () => {
      isRefusingScripts = true;
    },
    recover: () => {
      delayMs = 0;
      isAnswering = true;
      isRefusingScripts = false;
      for (const response of pending) response.destroy();
      pending.clear();
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      redis.destroy();
      if (redisProcess.exitCode === null && redisProcess.signalCode === null) {
        const hasEnded = new Promise((resolve) => redisProcess.once("exit", resolve));
        redisProcess.kill("SIGTERM");
        await hasEnded;
      }
      process.off("exit", killRedis);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function connectToRedis(socketPath: string, redisProcess: ChildProcess) {
  let hasEnded = false;
  redisProcess.once("exit", () => {
    hasEnded = true;
  });
  // Redis takes a moment to make its socket.
  const reconnectStrategy = () => (hasEnded ? new Error("Redis did not start") : 25);
  const client = createClient({
    RESP: 2,
    socket: { path: socketPath, tls: false, reconnectStrategy },
  });
  client.on("error", () => {
    // Each command that fails says so itself.
  });
  return await client.connect();
}

/** A command that Redis refuses becomes an error in its place, as with Upstash. */
function commandRunner(send: (command: string[]) => Promise<unknown>) {
  return async function run(command: string[]): Promise<Reply> {
    try {
      return { result: await send(command) };
    } catch (error) {
      return { error: (error as Error).message };
    }
  };
}

function parseCommand(value: unknown): string[] {
  if (!Array.isArray(value) || value.length === 0)
    throw new Error("ERR a command is a list with at least one word");
  return value.map(String);
}

function parseCommands(value: unknown): string[][] {
  if (!Array.isArray(value)) throw new Error("ERR give a list of commands");
  return value.map(parseCommand);
}

function encodeReply(reply: Reply): Reply {
  return "error" in reply ? reply : { result: encodeResult(reply.result) };
}

function encodeResult(result: unknown): unknown {
  if (Array.isArray(result)) return result.map(encodeResult);
  if (typeof result !== "string" || result === "OK") return result;
  return Buffer.from(result).toString("base64");
}
