/**
 * The client's address. server/web.ts writes this header itself, from the socket or from as many proxies as are trusted,
 * and Next's own server fills it in where a proxy in front of it did not.
 */
export function clientAddress(request: Request): string {
  const forwarded = request.headers.get("x-forwarded-for");
  return forwarded?.split(",").at(-1)?.trim() || "unknown";
}
