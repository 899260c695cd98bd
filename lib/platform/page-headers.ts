/**
 * Each page gets its own path in this header, because Next does not pass it on. A value sent by the
 * client is overwritten.
 */
export const pathHeader = "x-path";

/** The edge sets this on requests for pages that it has prepared. Next then skips proxy.ts. */
export const preparedHeader = "x-page-prepared";

/** The path of a page: not of the API, a route handler or a file. */
export const pagePath =
  /^\/(?!v1\/|api\/|\.well-known\/|files\/|_next\/|health$|ready$|icon\.svg$|favicon\.ico$|docs\/openapi\.json$|mcp$|sdk\.(?:tgz|whl)$|sdk\/|llms(?:-full)?\.txt$)/;

/**
 * A content security policy with a nonce of its own, so that only our scripts run. Next reads the
 * nonce from the request's header and adds it to each script of the page.
 */
export function newContentSecurityPolicy(): string {
  const nonce = Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString("base64");
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
