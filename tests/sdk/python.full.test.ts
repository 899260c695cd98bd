import { execFile, spawnSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "vitest";
import { signatureHeader, standardWebhooksHeaders } from "@/lib/deliveries/engine/sign";
import { baseUrl, call, newTenant } from "../support/api";

// The checks and tests of the Python client in sdk-python/, in an environment of their own.

const folder = path.resolve("sdk-python");
const environment = path.join(folder, ".venv");

function findPython(): string | null {
  const isUsable = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 9))";
  for (const name of ["python3", "python"])
    if (spawnSync(name, ["-c", isUsable]).status === 0) return name;
  process.stdout.write(
    "The Python client was not tested: Python 3.9 or newer with venv and pip is missing.\n",
  );
  return null;
}

const python = findPython();

async function run(program: string, args: string[], env: Record<string, string> = {}) {
  const result = promisify(execFile)(program, args, {
    cwd: folder,
    env: { ...process.env, ...env },
    maxBuffer: 2 ** 26,
  });
  await result.catch(({ stdout, stderr }) =>
    expect.fail(`${path.basename(program)} ${args.join(" ")}\n${stdout}${stderr}`),
  );
}

const runModule = (name: string, ...args: string[]) =>
  run(path.join(environment, "bin", "python"), ["-m", name, ...args]);

beforeAll(async () => {
  if (!python) return;
  const stampFile = path.join(environment, "installed");
  const stamp = readFileSync(path.join(folder, "pyproject.toml"), "utf8");
  if (existsSync(stampFile) && readFileSync(stampFile, "utf8") === stamp) return;
  await run(python, ["-m", "venv", "--clear", environment]);
  await runModule("pip", "install", "--quiet", "--editable", ".[test]");
  writeFileSync(stampFile, stamp);
});

test.skipIf(!python)("the Python client passes ruff and mypy --strict", async () => {
  await runModule("ruff", "check");
  await runModule("ruff", "format", "--check");
  await runModule("mypy");
});

test.skipIf(!python)("the Python client passes its tests against the service", async () => {
  const tenant = await newTenant();
  await run(path.join(environment, "bin", "python"), ["-m", "pytest", "--quiet"], {
    PARLANCE_BASE_URL: baseUrl(),
    PARLANCE_API_KEY: tenant.key,
    PARLANCE_TEST_WEBHOOK: JSON.stringify(await signedWebhook(tenant)),
  });
});

/** An event of the service, signed with a secret and with a private key. */
async function signedWebhook(tenant: Awaited<ReturnType<typeof newTenant>>) {
  await call(tenant, "POST", "/conversations", { channelId: "web", message: "Hello" });
  const { body: page } = await call(tenant, "GET", "/events?type=message.received");
  const body = JSON.stringify(page.data[0]);
  const { id } = page.data[0];
  const secret = `whsec_${Buffer.alloc(32, "k").toString("base64")}`;
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const timestampSeconds = Math.floor(Date.now() / 1_000);
  const signable = { secrets: [secret], timestampSeconds, body };
  const headers = {
    "x-service-signature": signatureHeader(signable),
    ...standardWebhooksHeaders({ ...signable, privateKeys: [privateKey], id }),
  };
  const { x = "" } = publicKey.export({ format: "jwk" });
  return {
    payload: body,
    headers,
    secret,
    publicKey: `whpk_${Buffer.from(x, "base64url").toString("base64")}`,
    now: timestampSeconds,
  };
}
