import { existsSync, writeFileSync } from "node:fs";
import { BlockList, isIPv6 } from "node:net";
import path from "node:path";
import { env } from "./env";
import { log } from "./log";
import { isLoopbackHost } from "./loopback";

// Without TRUSTED_PROXY_HOPS, the client addresses that a proxy reports are ignored, and all of its
// clients count as one address: ten wrong passwords by one client would slow down everyone.
// Operators would not notice, so the first such request is recorded for them.

/**
 * The networks that an operator's own proxies are in. A request from anywhere else proves nothing,
 * because anyone can send the header.
 */
const ownNetworks = new BlockList();
for (const [network, bits] of [
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
] as const) {
  ownNetworks.addSubnet(network, bits, "ipv4");
}
ownNetworks.addSubnet("fc00::", 7, "ipv6");
ownNetworks.addSubnet("fe80::", 10, "ipv6");
ownNetworks.addAddress("::1", "ipv6");

export const untrustedProxyFile = () => path.join(env().DATA_DIR, "ignored-proxy.json");

let isNoted = false;

type Sighting = {
  url: string;
  /** The ignored `X-Forwarded-For`. */
  claimed: string;
  /** The address that sent it. */
  peer: string;
};

/**
 * Considers only API and sign-in requests, because Next's own requests for pages pass the header
 * on.
 */
export function noteUntrustedProxy({ url, claimed, peer }: Sighting): void {
  if (isNoted || claimed === "" || !/^\/(v1|api\/auth)\//.test(url)) return;
  if (
    !ownNetworks.check(peer, isIPv6(peer) ? "ipv6" : "ipv4") ||
    claimed.split(",").every((hop) => isLoopbackHost(hop.trim()))
  )
    return;
  isNoted = true;
  log.warn({ proxy: peer }, untrustedProxyWarning);
  try {
    if (!existsSync(untrustedProxyFile()))
      writeFileSync(
        untrustedProxyFile(),
        `${JSON.stringify({ since: new Date(), proxy: peer })}\n`,
      );
  } catch (error) {
    log.warn(
      { error: (error as Error).message },
      "the file that tells doctor of an untrusted proxy could not be written",
    );
  }
}

export const untrustedProxyWarning =
  "a proxy states its clients' addresses and is not trusted, so all of its clients count as one address: in throttles, for keys with allowed IP addresses, and in the audit log. Set TRUSTED_PROXY_HOPS to the number of proxies in front";
