import createMdx from "@next/mdx";

const securityHeaders = [
  { key: "X-Content-Type-Options", value: "nosniff" },
  { key: "X-Frame-Options", value: "DENY" },
  { key: "Referrer-Policy", value: "strict-origin-when-cross-origin" },
  { key: "Permissions-Policy", value: "camera=(), geolocation=(), microphone=(), payment=()" },
  { key: "Cross-Origin-Opener-Policy", value: "same-origin" },
];

const strictTransport = [{ key: "Strict-Transport-Security", value: "max-age=63072000" }];

// The guides below docs/guides, and the changelog. Turbopack takes plugins by their names.
const withMdx = createMdx({ extension: /\.mdx?$/, options: { remarkPlugins: [["remark-gfm"]] } });

/** @type {import("next").NextConfig} */
const config = {
  poweredByHeader: false,
  // A fingerprint of the sources, from server/prepare.mjs. All builds of one commit have the same
  // id.
  generateBuildId: () => process.env.BUILD_ID ?? null,
  reactStrictMode: true,
  // Next would load every page once the first one is requested, which makes that one wait.
  experimental: { preloadEntriesOnStart: false },
  // The checks run on their own (`npm run check`), over the whole project at once.
  typescript: { ignoreBuildErrors: true },
  // Native code, and packages of which the process must have a single instance, no matter how many
  // bundles import them.
  serverExternalPackages: ["@node-rs/argon2", "pg", "pino"],
  // The development server can be opened under both names.
  allowedDevOrigins: ["127.0.0.1", "localhost"],
  // No page uses Next's image optimizer. Anyone could fill the disk with it: each spelling of the
  // address of an image is another file in its cache.
  images: { unoptimized: true },
  // A path that ends in a slash is a different path, as it is in server/web.ts.
  skipTrailingSlashRedirect: true,
  // Where server/edge is not in front, this route receives every request of the API.
  rewrites: async () => ({
    beforeFiles: [
      { source: "/v1/:path*", destination: "/api/v1/:path*" },
      { source: "/.well-known/webhook-keys/:id", destination: "/api/webhook-keys/:id" },
      // Every page of the documentation as Markdown, by its name. proxy.ts returns it to programs
      // that request it with `Accept`.
      { source: "/docs.md", destination: "/api/docs-markdown" },
      { source: "/docs/:path(.+)\\.md", destination: "/api/docs-markdown/:path*" },
    ],
  }),
  headers: async () => [
    { source: "/((?!v1/).*)", headers: securityHeaders },
    { source: "/docs/:path*", headers: [{ key: "Vary", value: "Accept" }] },
    // Pages get a policy with a nonce (lib/platform/page-headers.ts). These responses are not pages.
    {
      source: "/(api|_next)/(.*)",
      headers: [
        { key: "Content-Security-Policy", value: "default-src 'none'; frame-ancestors 'none'" },
      ],
    },
    // Only if the visitor used https, as reported by the proxy in front. Browsers ignore the header
    // on plain http.
    {
      source: "/((?!v1/).*)",
      has: [{ type: "header", key: "x-forwarded-proto", value: "https" }],
      headers: strictTransport,
    },
  ],
};

export default withMdx(config);
