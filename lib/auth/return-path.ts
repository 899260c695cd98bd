import { env } from "@/lib/platform/env";

/** Longer than any URL of this site. */
const maximumLength = 2_048;

/** Where to go after signing in: a path on this site, or `/` for anything else. */
export function returnPath(requested: unknown): string {
  if (typeof requested !== "string" || requested === "" || requested.length > maximumLength)
    return "/";
  const home = new URL(env().APP_URL);
  const url = URL.canParse(requested, home) ? new URL(requested, home) : home;
  // The URL parser has already read "//elsewhere" and "/\elsewhere" the way a browser does.
  if (
    url.origin !== home.origin ||
    url.pathname.startsWith("//") ||
    url.pathname.startsWith("/api/")
  )
    return "/";
  return `${url.pathname}${url.search}`;
}
