import { isIP } from "node:net";
import { isLoopbackHost } from "@/lib/platform/loopback";
import { exposureRemedy, loopbackClosedBecause } from "@/lib/platform/loopback-exposure";
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
 * The requirement that a webhook's URL does not meet, or null. Only the URL itself is checked here.
 * The address of its host is looked up and checked at every connection.
 */
export function findUrlProblem(
  url: string,
  { environment }: { environment: Environment },
): string | null {
  if (url.length > maximumUrlLength)
    return `must have at most ${maximumUrlLength.toLocaleString("en")} characters`;
  // The parser would silently drop tabs and line breaks, and the URL would not be the one shown.
  if (/\s/.test(url) || !URL.canParse(url))
    return "must be a complete URL, for example https://example.com/webhooks";

  const { protocol, username, password, hostname } = new URL(url);
  const isHttpAllowed = allowsHttp(environment);
  if (protocol !== "https:" && !(protocol === "http:" && isHttpAllowed)) {
    return isHttpAllowed ? "must start with https:// or http://" : "must start with https://";
  }
  if (username !== "" || password !== "") return "must not contain a user name or a password";
  if (isBlockedHost(hostname)) {
    const notice = isLoopbackName(hostname) ? loopbackNotice() : "";
    return `must be reachable from the internet${exceptions()}${notice}`;
  }
  if (leadsToThisInstallation(url)) return "must not be a port of this installation";
  return null;
}

/** Whether a well-formed URL points to a host that webhooks must not reach. For the audit log. */
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

/** The hint below the URL field of a form. */
export function urlRule(environment: Environment): string {
  if (arePrivateTargetsAllowed())
    return `https:// or http://, reachable from the internet${exceptions()}.`;
  return `${allowsHttp(environment) ? "https:// or http://" : "https://"}, reachable from the internet${loopbackNotice()}.`;
}

/** Which private networks this installation lets webhooks reach. */
function exceptions(): string {
  const opened = openedNetworks();
  return opened.length > 0
    ? `, or in a network that this installation allows: ${opened.join(", ")}`
    : "; private and reserved hosts are not";
}

const isLoopbackName = (hostname: string) => isLocalhost(hostname) || isLoopbackHost(hostname);

/** Why webhooks can no longer reach this machine, if `npm start` allowed it. */
function loopbackNotice(): string {
  const reason = loopbackClosedBecause();
  return reason ? `. Webhooks can no longer reach this machine, ${reason}. ${exposureRemedy}` : "";
}

const allowsHttp = (environment: Environment) =>
  environment === "test" || arePrivateTargetsAllowed();
