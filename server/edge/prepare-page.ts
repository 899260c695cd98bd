import type { IncomingMessage, ServerResponse } from "node:http";
import { mailPagePath } from "@/lib/mail/mail-transport";
import {
  newContentSecurityPolicy,
  pagePath,
  pathHeader,
  preparedHeader,
} from "@/lib/platform/page-headers";
import { docsPage, prefersMarkdown } from "@/lib/platform/prefers-markdown";

/**
 * Gives a page the headers that proxy.ts would give it. Next copies the request and the response to
 * call proxy.ts, which takes about a millisecond, and requests Markdown from itself over HTTP. The
 * mail page is left to proxy.ts.
 */
export function preparePage(request: IncomingMessage, response: ServerResponse, url: string): void {
  const { headers } = request;
  delete headers[preparedHeader];
  const { pathname, search } = new URL(`http://localhost${url}`);
  if (!pagePath.test(pathname) || decodeURIComponent(pathname).startsWith(mailPagePath)) return;
  const markdown = docsPage.exec(pathname);
  if (markdown && prefersMarkdown(headers.accept ?? null)) {
    request.url = `/api/docs-markdown${markdown[1]}${search}`;
    return;
  }
  const policy = newContentSecurityPolicy();
  headers["content-security-policy"] = policy;
  headers[pathHeader] = `${pathname}${withoutCacheKey(search)}`;
  headers[preparedHeader] = "true";
  response.setHeader("Content-Security-Policy", policy);
}

/** Without the parameter by which Next's router tells its own requests apart. */
function withoutCacheKey(search: string): string {
  if (!search.includes("_rsc")) return search;
  const parameters = new URLSearchParams(search);
  parameters.delete("_rsc");
  return parameters.size > 0 ? `?${parameters}` : "";
}
