import { isIP } from "node:net";

/**
 * The client's address. Our server overwrites `X-Forwarded-For` with the socket's address or a
 * trusted proxy's entry, so a client's own claim never arrives here.
 */
export function clientAddress(forwardedFor: string | null | undefined): string | null {
  const stated =
    forwardedFor
      ?.split(",")
      .at(-1)
      ?.trim()
      .replace(/^::ffff:/i, "") ?? "";
  return isIP(stated) ? stated : null;
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
