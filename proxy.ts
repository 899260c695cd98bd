import { type NextRequest, NextResponse } from "next/server";
import { mailPagePath } from "@/lib/mail/mail-transport";
import { noteRequest } from "@/lib/platform/loopback-exposure";
import { newContentSecurityPolicy, pathHeader } from "@/lib/platform/page-headers";
import { docsPage, prefersMarkdown } from "@/lib/platform/prefers-markdown";

/**
 * Gives every rendered page a content security policy with its own nonce, unless server/edge has done
 * so. Permissions are not checked here. Requests to the API and for files do not pass through.
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
  const policy = newContentSecurityPolicy();
  const { pathname, search } = request.nextUrl;

  const headers = new Headers(request.headers);
  headers.set("Content-Security-Policy", policy);
  headers.set(pathHeader, `${pathname}${search}`);
  const response = NextResponse.next({ request: { headers } });
  response.headers.set("Content-Security-Policy", policy);
  return response;
}

// Next reads this without running it, so it repeats what lib/platform/page-headers.ts and
// lib/mail/mail-transport.ts say.
export const config = {
  matcher: [
    {
      source:
        "/((?!v1/|api/|\\.well-known/|files/|_next/|health$|ready$|icon\\.svg$|favicon\\.ico$|docs/openapi\\.json$|mcp$|sdk\\.(?:tgz|whl)$|sdk/|llms(?:-full)?\\.txt$).*)",
      missing: [{ type: "header", key: "x-page-prepared" }],
    },
    // On a server without the edge, anyone can send that header.
    "/dev/mail/:path*",
  ],
};

function decoded(pathname: string): string {
  try {
    return decodeURIComponent(pathname);
  } catch {
    return pathname;
  }
}
