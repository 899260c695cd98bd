import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { type Account, InsufficientScopeError, Parlance } from "../src/index";
import { baseUrlOf, type Command, clientOf, textOf, UsageError } from "./command";
import { changeConfig, configFile, removeConfig } from "./config";

const described = ({ name, environment, key }: Account): string =>
  `${name}, ${environment} environment, key “${key.name}” with ${key.scopes.join(", ")}`;

export const login: Command = {
  name: "login",
  summary: "Store an API key for the other commands",
  details: `The key is read from the terminal, from standard input, or from --api-key, which other users of
this machine can see while the command runs. Only your user can read the file that it is stored in.`,
  run: async ({ values, output, signal }) => {
    const baseUrl = baseUrlOf(values);
    const apiKey = textOf(values, "api-key") ?? (await readKey(signal));
    const client = new Parlance(apiKey, { baseUrl });
    const account = await client.account.get({ signal }).catch(orWithoutScope);
    changeConfig((config) => ({ ...config, apiKey, baseUrl }));
    output.result(
      account ?? { environment: client.environment },
      `Signed in to ${account ? described(account) : `the ${client.environment} environment`}.`,
    );
    output.note(`The key is stored in ${configFile()}.`);
  },
};

export const logout: Command = {
  name: "logout",
  summary: "Delete the stored API key",
  details: "The key stays valid. Revoke it in the dashboard if someone else may have it.",
  run: async ({ output }) => {
    removeConfig();
    output.result({ file: configFile() }, `Deleted ${configFile()}.`);
  },
};

export const whoami: Command = {
  name: "whoami",
  summary: "Show the organization, environment and scopes of the API key",
  run: async ({ values, output, signal }) => {
    const account = await clientOf(values).account.get({ signal });
    output.result(account, described(account));
  },
};

/** A key without read:usage is valid, too. */
function orWithoutScope(error: unknown): null {
  if (error instanceof InsufficientScopeError) return null;
  throw error;
}

/** From a terminal without showing it, or from a pipe. */
async function readKey(signal: AbortSignal): Promise<string> {
  const isTerminal = process.stdin.isTTY === true;
  if (isTerminal) process.stderr.write("API key: ");
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({
    input: process.stdin,
    output: silent,
    terminal: isTerminal,
    signal,
  });
  try {
    // A terminal that is read character by character sends no signal for Ctrl-C.
    lines.on("SIGINT", () => process.kill(process.pid, "SIGINT"));
    for await (const line of lines) return line.trim();
  } finally {
    lines.close();
    if (isTerminal) process.stderr.write("\n");
  }
  throw new UsageError("There is no key on standard input.", login);
}
