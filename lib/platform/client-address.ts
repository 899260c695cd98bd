import { isIP } from "node:net";

/**
 * The client's address. Our server overwrites `X-Forwarded-For` with the socket's address or a
 * trusted proxy's entry, so a client's own claim never arrives here.
 */
export function clientAddress(forwardedFor: string | null | undefined): string | null {
  const stated = plainAddress(forwardedFor?.split(",").at(-1) ?? "");
  return isIP(stated) ? stated : null;
}

/**
 * An address as a proxy or a socket states it, without a port, brackets, or the form that IPv6 has
 * for IPv4. Some proxies, such as Azure's Application Gateway, add the client's port. As no address
 * at all, it would put all of their clients into one count.
 */
export function plainAddress(stated: string): string {
  const [, ofIpv4, ofIpv6] =
    /^(?:(\d{1,3}(?:\.\d{1,3}){3})(?::\d{1,5})?|\[([^\]]+)\](?::\d{1,5})?)$/.exec(stated.trim()) ??
    [];
  const address = ofIpv4 ?? ofIpv6 ?? stated.trim();
  const [, dotted, high, low] =
    /^::ffff:(?:(\d{1,3}(?:\.\d{1,3}){3})|([0-9a-f]{1,4}):([0-9a-f]{1,4}))$/i.exec(address) ?? [];
  if (high === undefined || low === undefined) return dotted ?? address;
  const bytes = Buffer.from(high.padStart(4, "0") + low.padStart(4, "0"), "hex");
  return bytes.join(".");
}

/**
 * The key that attempts are counted under. One subscriber has 2^64 IPv6 addresses, so those are
 * counted per network.
 */
export function throttleAddress(address: string | null): string {
  if (!address) return "unknown";
  if (isIP(address) !== 6) return address;
  const [head = "", tail] = address.toLowerCase().split("%")[0]?.split("::") ?? [];
  const left = head === "" ? [] : head.split(":");
  const right = tail ? tail.split(":") : [];
  const groups =
    tail === undefined
      ? left
      : [...left, ...Array(Math.max(0, 8 - left.length - right.length)).fill("0"), ...right];
  return `${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ""))
    .join(":")}::/64`;
}
