import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { env } from "./env";
import { log } from "./log";
import { findProxySign, type ProxySign } from "./proxy-detection";

// `npm start` lets webhooks reach loopback, so that one person can try the product on their own
// machine. A proxy or tunnel in front would let strangers in, so the first sign of one closes
// loopback to webhooks.

type Exposure = { since: string } & ProxySign;

/**
 * Web and worker share this file. It stays until an operator runs `exposure:reset`, because the
 * proxy or tunnel may still be there after a restart.
 */
const exposureFile = () => path.join(env().DATA_DIR, "behind-proxy.json");

/** Set if the file could not be written. This process then at least keeps loopback closed. */
let unwritten: Exposure | undefined;

/** Called with every request. The first one from elsewhere closes loopback to webhooks. */
export function noteRequest(headers: Iterable<[string, string | string[] | undefined]>): void {
  if (!env().LOOPBACK_WEBHOOKS || unwritten) return;
  const sign = findProxySign(headers);
  if (!sign || existsSync(exposureFile())) return;
  const value = sign.value.slice(0, 100);
  const exposure = { since: new Date().toISOString(), header: sign.header, value };
  try {
    writeFileSync(exposureFile(), `${JSON.stringify(exposure)}\n`, { mode: 0o600 });
  } catch (error) {
    unwritten = exposure;
    log.error({ error: (error as Error).message }, `${exposureFile()} could not be written`);
  }
  log.warn(
    { ...exposure, file: exposureFile() },
    `webhooks can no longer reach this machine, ${reasonFor(exposure)}. ${exposureRemedy}`,
  );
}

/** Whether webhooks may reach loopback although the operator did not set that. */
export function isLoopbackOpen(): boolean {
  return env().LOOPBACK_WEBHOOKS && !unwritten && !existsSync(exposureFile());
}

/**
 * Why loopback is closed although `npm start` opened it; null if it is open or was never opened.
 */
export function loopbackClosedBecause(): string | null {
  if (!env().LOOPBACK_WEBHOOKS || isLoopbackOpen()) return null;
  return reasonFor(unwritten ?? readExposure());
}

export const exposureRemedy =
  "If that was you, run `npm run admin -- exposure:reset`. If this installation is meant to be reached from elsewhere, set APP_URL to its public address";

/**
 * Opens loopback to webhooks again, in running processes too. The next request from elsewhere
 * closes it again.
 * @returns whether it was closed
 */
export function resetExposure(): boolean {
  const wasClosed = existsSync(exposureFile());
  rmSync(exposureFile(), { force: true });
  return wasClosed;
}

function readExposure(): Partial<Exposure> {
  try {
    return JSON.parse(readFileSync(exposureFile(), "utf8"));
  } catch {
    // The file was truncated by a full disk or a crash. Loopback stays closed, but the reason is
    // lost.
    return {};
  }
}

/** Repeats a host only if it looks like one, because anyone can send any text as a header. */
function reasonFor({ since, header, value = "" }: Partial<Exposure>): string {
  const at = since ? ` at ${since}` : "";
  if (header === "host" && /^[\w.:[\]-]+$/.test(value))
    return `because this installation was reached under ${value}${at}`;
  return `because a request came through a proxy or tunnel${header ? ` (it has the header ${header})` : ""}${at}`;
}
