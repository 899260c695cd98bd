import { existsSync, writeFileSync } from "node:fs";
import { BlockList, isIPv6 } from "node:net";
import path from "node:path";
import { env } from "./env";
import { log } from "./log";
import { isLoopbackHost } from "./loopback";

// Without TRUSTED_PROXY_HOPS, what a proxy says about its clients is ignored, and all of them count
// as one address: ten wrong passwords of one would slow down everyone. Nothing looks wrong then, so
// the first such request is noted for the operator.

/**
 * Where one's own proxies are. A request from anywhere else proves nothing: anyone can send the
 * header.
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
  /** The `X-Forwarded-For` that was ignored. */
  claimed: string;
  /** Who sent it. */
  peer: string;
};

/**
 * Only of requests that programs and sign-ins make: for pages, Next asks itself and passes the
 * header on.
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
      "that a proxy is ignored could not be noted for doctor",
    );
  }
}

export const untrustedProxyWarning =
  "a proxy states its clients' addresses and is not trusted, so all of its clients count as one address: in throttles, for keys with allowed IP addresses, and in the audit log. Set TRUSTED_PROXY_HOPS to the number of proxies in front";
