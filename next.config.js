import createMdx from "@next/mdx";

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
  // A fingerprint of the sources, from server/prepare.mjs: every build of one commit has the same.
  generateBuildId: () => process.env.BUILD_ID ?? null,
  reactStrictMode: true,
  // The checks run on their own (`npm run check`), over the whole project at once.
  typescript: { ignoreBuildErrors: true },
  // Native code, and what must be one instance in the process however many bundles ask for it.
  serverExternalPackages: ["@node-rs/argon2", "pg", "pino"],
  // The development server is reached under both names.
  allowedDevOrigins: ["127.0.0.1", "localhost"],
  // A path that ends in a slash is another path, in the API as under server/web.ts.
  skipTrailingSlashRedirect: true,
  // For where server/edge is not in front: every request of the API goes through one dispatcher.
  rewrites: async () => ({
    beforeFiles: [{ source: "/v1/:path*", destination: "/api/v1/:path*" }],
  }),
  headers: async () => [
    { source: "/((?!v1/).*)", headers: securityHeaders },
    // Pages get theirs, with a nonce, from proxy.ts; nothing else of ours is a page.
    {
      source: "/(api|_next)/(.*)",
      headers: [
        { key: "Content-Security-Policy", value: "default-src 'none'; frame-ancestors 'none'" },
      ],
    },
    // Only where the visitor came over https, which the proxy in front says. Browsers ignore it on
    // plain http.
    {
      source: "/((?!v1/).*)",
      has: [{ type: "header", key: "x-forwarded-proto", value: "https" }],
      headers: strictTransport,
    },
  ],
};

export default withMdx(config);
