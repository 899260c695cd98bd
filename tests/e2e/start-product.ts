import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** Long, because it builds what is out of date. */
const startTimeoutMs = 300_000;
const stopTimeoutMs = 20_000;

/** Starts the whole product as `npm start` does, on a free port and with data of its own, and stops it after the tests. */
export default async function startProduct(): Promise<() => Promise<void>> {
  const directory = mkdtempSync(path.join(tmpdir(), "parlance-e2e-"));
  const product = spawn(process.execPath, ["server/prepare.mjs", "start"], {
    env: { ...ownEnvironment(), NODE_ENV: "production", PORT: "0", DATA_DIR: directory },
    stdio: ["ignore", "ignore", "inherit"],
  });

  const demoFile = path.join(directory, "demo.json");
  for (const deadline = Date.now() + startTimeoutMs; !existsSync(demoFile); await sleep(100)) {
    if (product.exitCode !== null) throw new Error(`The product ended with ${product.exitCode} before it was ready.`);
    if (Date.now() > deadline) throw new Error("The product did not start in time.");
  }
  const demo = readFileSync(demoFile, "utf8");
  const { url, databaseUrl } = JSON.parse(demo);
  Object.assign(process.env, { PRODUCT_URL: url, PRODUCT_DATABASE_URL: databaseUrl, PRODUCT_DEMO: demo });

  return async () => {
    const ended = product.exitCode === null ? once(product, "exit") : Promise.resolve();
    product.kill("SIGTERM");
    await Promise.race([ended, sleep(stopTimeoutMs).then(() => product.kill("SIGKILL"))]);
    rmSync(directory, { recursive: true, force: true });
  };
}

/** Without what a developer's shell, or another test, may have set for a product of its own. */
function ownEnvironment(): Record<string, string | undefined> {
  const foreign =
    /^(DATABASE_|UPSTASH_|INNGEST_|NEXTAUTH_|SMTP_|MAIL_|GITHUB_|GOOGLE_|APP_URL$|ERROR_BASE$|SECRET_KEYS$|SERVICE_PREFIX$|JOBS$|NODE_ENV$|TRUSTED_PROXY)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)));
}
