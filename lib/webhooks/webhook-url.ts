import { isIP } from "node:net";
import {
  arePrivateTargetsAllowed,
  isBlockedHost,
  isLocalhost,
  openedNetworks,
} from "@/lib/platform/outbound-http/blocked-addresses";
import { isOwnEndpointHere } from "@/lib/platform/outbound-http/own-endpoints";
import type { Environment } from "@/prisma/generated/enums";

export const maximumUrlLength = 2_048;

/**
 * What is wrong with a webhook's address, as a sentence for its owner, or null. Looks at the text
 * alone: where the name leads is found out, and checked again, at every connection.
 */
export function findUrlProblem(
  url: string,
  { environment }: { environment: Environment },
): string | null {
  if (url.length > maximumUrlLength)
    return `The address must be at most ${maximumUrlLength} characters long.`;
  // The parser would drop tabs and line ends without a word, and the address would not be what was
  // shown.
  if (/\s/.test(url) || !URL.canParse(url))
    return "Give a full address, such as https://example.com/webhooks.";

  const { protocol, username, password, hostname } = new URL(url);
  const isHttpAllowed = allowsHttp(environment);
  if (protocol !== "https:" && !(protocol === "http:" && isHttpAllowed)) {
    return isHttpAllowed
      ? "The address must start with https:// or http://."
      : "The address must start with https://.";
  }
  if (username !== "" || password !== "")
    return "The address must not contain a user name or a password.";
  if (isBlockedHost(hostname))
    return `The address must be reachable from the internet${exceptions()}.`;
  if (leadsToThisInstallation(url))
    return "The address must not be a port of this installation itself.";
  return null;
}

/**
 * Whether an address leads to where no webhook may go, rather than being written wrong. For the
 * audit log.
 */
export function isForbiddenTarget(url: string): boolean {
  return (
    URL.canParse(url) && (isBlockedHost(new URL(url).hostname) || leadsToThisInstallation(url))
  );
}

function leadsToThisInstallation(url: string): boolean {
  const { hostname, port, protocol } = new URL(url);
  const host = isLocalhost(hostname) ? "127.0.0.1" : hostname.replace(/^\[|\]$/g, "");
  return (
    isIP(host) !== 0 && isOwnEndpointHere(host, Number(port) || (protocol === "https:" ? 443 : 80))
  );
}

/** What an address has to be, as a sentence. */
export function urlRule(environment: Environment): string {
  if (arePrivateTargetsAllowed())
    return `https:// or http://, reachable from the internet${exceptions()}.`;
  return `${allowsHttp(environment) ? "https:// or http://" : "https://"}, reachable from the internet.`;
}

/** Which private networks this installation lets webhooks reach. */
function exceptions(): string {
  const opened = openedNetworks();
  return opened.length > 0
    ? `, or in a network that this installation opened: ${opened.join(", ")}`
    : "; private and reserved hosts are not";
}

const allowsHttp = (environment: Environment) =>
  environment === "test" || arePrivateTargetsAllowed();
