import { isLoopbackHost } from "./loopback";

type Headers = Iterable<[string, string | string[] | undefined]>;

/** The evidence that a request did not come directly from this machine. */
export type ProxySign = { header: string; value: string };

const proxyHeader =
  /^(forwarded|via|cdn-loop|x-real-ip|x-client-ip|true-client-ip|x-cluster-client-ip|(x-forwarded|x-original|x-envoy|cf|fly|fastly|tailscale|ngrok)-.+)$/;

/**
 * The first sign that a request came through a proxy or a tunnel, or for a host name that is not
 * loopback. Next adds X-Forwarded headers of its own, so those that only name this machine do not
 * count.
 */
export function findProxySign(headers: Headers): ProxySign | null {
  for (const [header, sent] of headers) {
    const value = String(sent ?? "");
    if (header === "host" || header === "x-forwarded-for" || header === "x-forwarded-host") {
      if (!partsOf(value).every(isLoopbackHost)) return { header, value };
    } else if (header === "x-forwarded-proto") {
      if (!partsOf(value).every((part) => part === "http")) return { header, value };
    } else if (header !== "x-forwarded-port" && proxyHeader.test(header)) {
      return { header, value };
    }
  }
  return null;
}

const partsOf = (value: string) => value.split(",").map((part) => part.trim());

export const cameThroughProxy = (headers: Headers): boolean => findProxySign(headers) !== null;
