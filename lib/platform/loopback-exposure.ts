import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { env } from "./env";
import { log } from "./log";
import { isLoopbackHost } from "./loopback";

// What `npm start` opens for trying the product out (webhooks to loopback, the mail page) is for
// one person at one machine. A proxy or tunnel in front of a loopback listener lets strangers in,
// so each sign of one closes it again.

const proxyHeader =
  /^(forwarded|via|cdn-loop|x-real-ip|x-client-ip|true-client-ip|x-cluster-client-ip|(x-forwarded|x-original|x-envoy|cf|fly|fastly|tailscale|ngrok)-.+)$/;

/**
 * Whether a request came through a proxy, a tunnel, or under another name than this machine's own.
 * Next adds X-Forwarded headers of its own, so those that only name this machine do not count.
 */
export function cameThroughProxy(
  headers: Iterable<[string, string | string[] | undefined]>,
): boolean {
  for (const [name, value] of headers) {
    const parts = String(value ?? "")
      .split(",")
      .map((part) => part.trim());
    if (name === "host" || name === "x-forwarded-for" || name === "x-forwarded-host") {
      if (!parts.every(isLoopbackHost)) return true;
    } else if (name === "x-forwarded-proto") {
      if (!parts.every((part) => part === "http")) return true;
    } else if (name !== "x-forwarded-port" && proxyHeader.test(name)) {
      return true;
    }
  }
  return false;
}

/**
 * Web and worker share this file. It stays until an operator removes it, because attempts outlive a
 * restart.
 */
export const behindProxyFile = () => path.join(env().DATA_DIR, "behind-proxy.json");

let isMarked = false;

/** Called with every request: the first one from elsewhere closes loopback to webhooks for good. */
export function noteRequest(headers: Iterable<[string, string | string[] | undefined]>): void {
  if (isMarked || !env().LOOPBACK_WEBHOOKS || !cameThroughProxy(headers)) return;
  isMarked = true;
  if (existsSync(behindProxyFile())) return;
  writeFileSync(behindProxyFile(), `${JSON.stringify({ since: new Date().toISOString() })}\n`, {
    mode: 0o600,
  });
  log.warn(
    { file: behindProxyFile() },
    "a request came through a proxy or tunnel: webhooks no longer reach this machine. Set APP_URL to the public address",
  );
}

/**
 * Whether webhooks may reach loopback without a setting of the operator: on a machine that nobody
 * else reaches.
 */
export function isLoopbackOpen(): boolean {
  if (!env().LOOPBACK_WEBHOOKS || isMarked) return false;
  isMarked = existsSync(behindProxyFile());
  return !isMarked;
}
