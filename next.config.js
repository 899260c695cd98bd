import createMdx from "@next/mdx";

const isDevelopment = process.env.NODE_ENV === "development";

// Of the pages that are built once, whose inline scripts can carry no nonce. What is drawn for a visitor gets a stricter
// policy from proxy.ts.
const contentSecurityPolicy = [
  "default-src 'self'",
  `script-src 'self' 'unsafe-inline'${isDevelopment ? " 'unsafe-eval'" : ""}`,
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  `connect-src 'self'${isDevelopment ? " ws:" : ""}`,
  "object-src 'none'",
  "base-uri 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

const securityHeaders = [
  { key: "X-Content-Type-Options", value: "nosniff" },
  { key: "X-Frame-Options", value: "DENY" },
  { key: "Referrer-Policy", value: "strict-origin-when-cross-origin" },
  { key: "Permissions-Policy", value: "camera=(), geolocation=(), microphone=(), payment=()" },
  { key: "Cross-Origin-Opener-Policy", value: "same-origin" },
];

const strictTransport = [{ key: "Strict-Transport-Security", value: "max-age=63072000" }];

// The guides below docs/guides. Turbopack takes plugins by their names.
const withMdx = createMdx({ options: { remarkPlugins: [["remark-gfm"]] } });

/** @type {import("next").NextConfig} */
const config = {
  poweredByHeader: false,
  reactStrictMode: true,
  // The checks run on their own (`npm run check`), over the whole project at once.
  typescript: { ignoreBuildErrors: true },
  // Native code, and what must be one instance in the process however many bundles ask for it.
  serverExternalPackages: ["@node-rs/argon2", "pg", "pino"],
  // The development server is reached under both names.
  allowedDevOrigins: ["127.0.0.1", "localhost"],
  // A path that ends in a slash is another path, in the API as under server/web.ts.
  skipTrailingSlashRedirect: true,
  // Every request of the API goes through one dispatcher, whichever server it came in by.
  rewrites: async () => ({ beforeFiles: [{ source: "/v1/:path*", destination: "/api/v1/:path*" }] }),
  headers: async () => [
    { source: "/((?!v1/).*)", headers: securityHeaders },
    {
      source: "/(docs|docs/.*|api/.*|_next/.*|health|ready|icon\\.svg|llms\\.txt|favicon\\.ico)",
      headers: [{ key: "Content-Security-Policy", value: contentSecurityPolicy }],
    },
    // Only where the visitor came over https, which the proxy in front says. Browsers ignore it on plain http.
    { source: "/((?!v1/).*)", has: [{ type: "header", key: "x-forwarded-proto", value: "https" }], headers: strictTransport },
  ],
};

export default withMdx(config);
