import { execFile } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import path from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "vitest";
import { signatureHeader, standardWebhooksHeaders } from "@/lib/deliveries/engine/sign";
import { baseUrl, call, newTenant } from "../support/api";
import { findPython, preparePython, python, pythonFolder } from "../support/python";

// The checks and tests of the Python client in sdk-python/, in an environment of their own.

const name = findPython("The Python client was not tested");

async function run(program: string, args: string[], env: Record<string, string> = {}) {
  const result = promisify(execFile)(program, args, {
    cwd: pythonFolder,
    env: { ...process.env, ...env },
    maxBuffer: 2 ** 26,
  });
  await result.catch(({ stdout, stderr }) =>
    expect.fail(`${path.basename(program)} ${args.join(" ")}\n${stdout}${stderr}`),
  );
}

const runModule = (module: string, ...args: string[]) => run(python, ["-m", module, ...args]);

beforeAll(async () => {
  if (name) await preparePython(name);
});

test.skipIf(!name)("the Python client passes ruff and mypy --strict", async () => {
  await runModule("ruff", "check");
  await runModule("ruff", "format", "--check");
  await runModule("mypy");
});

test.skipIf(!name)("the Python client passes its tests against the service", async () => {
  const tenant = await newTenant();
  await run(python, ["-m", "pytest", "--quiet"], {
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
