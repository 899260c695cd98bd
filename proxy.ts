import { type NextRequest, NextResponse } from "next/server";
import { pathHeader } from "@/lib/auth/path-header";
import { mailPagePath } from "@/lib/mail/mail-transport";
import { noteRequest } from "@/lib/platform/loopback-exposure";
import { prefersMarkdown } from "@/lib/platform/prefers-markdown";

/**
 * Gives every rendered page a content security policy with its own nonce, so that only our scripts
 * run. Permissions are not checked here. Requests to the API and for files do not pass through.
 */
export function proxy(request: NextRequest): NextResponse {
  noteRequest(request.headers);
  const { method } = request;
  // Next renders pages for POST requests too. A webhook with this URL could otherwise read the
  // mails in its stored response.
  if (
    decoded(request.nextUrl.pathname).startsWith(mailPagePath) &&
    method !== "GET" &&
    method !== "HEAD"
  ) {
    return new NextResponse(null, { status: 405, headers: { Allow: "GET, HEAD" } });
  }
  const markdown = request.nextUrl.pathname.match(docsPage);
  if (markdown && prefersMarkdown(request.headers.get("accept"))) {
    const url = request.nextUrl.clone();
    url.pathname = `/api/docs-markdown${markdown[1]}`;
    return NextResponse.rewrite(url);
  }
  const nonce = Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString("base64");
  const policy = contentSecurityPolicy(nonce);
  const { pathname, search } = request.nextUrl;

  const headers = new Headers(request.headers);
  // Next reads the nonce from this header and adds it to each script of the page.
  headers.set("Content-Security-Policy", policy);
  headers.set(pathHeader, `${pathname}${search}`);
  const response = NextResponse.next({ request: { headers } });
  response.headers.set("Content-Security-Policy", policy);
  return response;
}

/** A page of the documentation, and its path below `/docs`. */
const docsPage = /^\/docs((?:\/(?!.*\.(?:json|md)$).+)?)$/;

export const config = {
  matcher: [
    "/((?!v1/|api/|\\.well-known/|files/|_next/|health$|ready$|icon\\.svg$|favicon\\.ico$|docs/openapi\\.json$|mcp$|sdk\\.(?:tgz|whl)$|sdk/|llms(?:-full)?\\.txt$).*)",
  ],
};

function decoded(pathname: string): string {
  try {
    return decodeURIComponent(pathname);
  } catch {
    return pathname;
  }
}

function contentSecurityPolicy(nonce: string): string {
  const isDevelopment = process.env.NODE_ENV === "development";
  return [
    "default-src 'self'",
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'${isDevelopment ? " 'unsafe-eval'" : ""}`,
    // Positions and sizes are style attributes, to which nonces do not apply.
    "style-src 'self' 'unsafe-inline'",
    // Files that are being attached are previewed from the browser's memory.
    "img-src 'self' data: blob:",
    "font-src 'self'",
    `connect-src 'self'${isDevelopment ? " ws:" : ""}`,
    "object-src 'none'",
    "base-uri 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");
}
