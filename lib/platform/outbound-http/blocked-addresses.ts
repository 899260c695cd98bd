import { BlockList, isIP, isIPv4 } from "node:net";
import { env } from "@/lib/platform/env";
import { isLoopbackOpen } from "@/lib/platform/loopback-exposure";

/**
 * All IPv4 addresses are open except IANA's special-purpose registry, multicast, and Azure's host
 * address.
 */
const closedIpv4 = networks([
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "168.63.129.16/32",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.31.196.0/24",
  "192.52.193.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "192.175.48.0/24",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
]);

/**
 * All IPv6 addresses are closed except global unicast, of which some ranges are also closed:
 * protocols, tunnels, documentation, AS112.
 */
const globalIpv6 = networks(["2000::/3"]);
const closedGlobalIpv6 = networks([
  "2001::/23",
  "2001:db8::/32",
  "2002::/16",
  "2620:4f:8000::/48",
  "3fff::/20",
]);

/**
 * Addresses where clouds serve credentials, and the prefixes that can embed such an IPv4 address.
 * No setting opens them.
 */
const neverOpen = networks([
  "100.100.100.200/32",
  "168.63.129.16/32",
  "169.254.0.0/16",
  "192.0.0.192/32",
  "2002::/16",
  "64:ff9b::/96",
  "64:ff9b:1::/48",
  "fd00:ec2::/32",
  "fd20:ce::/32",
  "fe80::/10",
]);

/**
 * Names that lead into a private network or nowhere: those of RFC 6761, RFC 6762 appendix G, and
 * Kubernetes.
 */
const closedSuffixes = [
  ...[
    "corp",
    "home",
    "home.arpa",
    "internal",
    "intranet",
    "invalid",
    "lan",
    "local",
    "localdomain",
    "localhost",
  ],
  ...["onion", "private", "svc", "test"],
];

/**
 * Whether webhooks must not reach this address, given as IPv4 or IPv6 without brackets. Text that
 * is not an address is blocked.
 */
export function isBlockedAddress(address: string): boolean {
  const version = isIP(address);
  if (version === 0) return true;
  const family = version === 4 ? "ipv4" : "ipv6";
  if (neverOpen.check(address, family)) return true;
  return !isOpened(address, family) && !isPublicAddress(address);
}

/**
 * Whether an address is on the public internet, regardless of the networks that the operator
 * opened.
 */
export function isPublicAddress(address: string): boolean {
  const family = isIPv4(address) ? "ipv4" : "ipv6";
  if (family === "ipv4") return !closedIpv4.check(address, family);
  // IPv4-mapped addresses are outside 2000::/3, like everything else that is not global unicast.
  return globalIpv6.check(address, family) && !closedGlobalIpv6.check(address, family);
}

/**
 * Whether webhooks must not reach this host, given as `URL.hostname`. A name that passes can still
 * resolve to a blocked address.
 */
export function isBlockedHost(hostname: string): boolean {
  const host = hostname.startsWith("[") ? hostname.slice(1, -1) : hostname;
  if (isIP(host) !== 0) return isBlockedAddress(host);

  const name = host.toLowerCase().replace(/\.+$/, "");
  if (isLocalhost(name)) return isBlockedAddress("127.0.0.1");
  return (
    !name.includes(".") ||
    closedSuffixes.some((suffix) => name === suffix || name.endsWith(`.${suffix}`))
  );
}

/** The only single-label name that is allowed, if loopback is open. */
export function isLocalhost(name: string): boolean {
  return name === "localhost";
}

/** True in development and tests, where http is allowed too. */
export function arePrivateTargetsAllowed(): boolean {
  return openedNetworks().length > 0;
}

/** The private networks that webhooks may reach at this moment. */
export function openedNetworks(): string[] {
  const { WEBHOOK_ALLOWED_PRIVATE_CIDRS: chosen } = env();
  return isLoopbackOpen() ? [...new Set([...chosen, ...loopback])] : chosen;
}

const loopback = ["127.0.0.0/8", "::1/128"];
const loopbackNetworks = networks(loopback);
let chosenNetworks: BlockList | undefined;

function isOpened(address: string, family: "ipv4" | "ipv6"): boolean {
  chosenNetworks ??= networks(env().WEBHOOK_ALLOWED_PRIVATE_CIDRS);
  return (
    chosenNetworks.check(address, family) ||
    (loopbackNetworks.check(address, family) && isLoopbackOpen())
  );
}

function networks(cidrs: string[]): BlockList {
  const list = new BlockList();
  for (const cidr of cidrs) {
    const [address = "", prefix] = cidr.split("/");
    const family = isIPv4(address) ? "ipv4" : "ipv6";
    list.addSubnet(
      address,
      prefix === undefined ? (family === "ipv4" ? 32 : 128) : Number(prefix),
      family,
    );
  }
  return list;
}
