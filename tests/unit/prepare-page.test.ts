import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterAll, expect, test } from "vitest";
import { mailPagePath } from "@/lib/mail/mail-transport";
import { pagePath, pathHeader, preparedHeader } from "@/lib/platform/page-headers";
import { config } from "@/proxy";
import { createWebServer } from "@/server/web-server";

// The edge prepares requests for pages, and Next then skips proxy.ts.

const server = createWebServer({
  servePages: (request, response) =>
    response.end(JSON.stringify({ ...request.headers, ":path": request.url })),
  trustedProxyHops: 0,
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
afterAll(() => server.close());

async function get(path: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${origin}${path}`, { headers });
  const seen: Record<string, string | undefined> = await response.json();
  return { seen, policy: response.headers.get("content-security-policy") };
}

const forged = {
  [preparedHeader]: "true",
  [pathHeader]: "//elsewhere.example",
  "content-security-policy": "script-src 'nonce-forged'",
};

test.each([
  ["/", "/"],
  ["/acme/test/conversations?status=OPEN", "/acme/test/conversations?status=OPEN"],
  ["/acme/test?_rsc=1a2b3", "/acme/test"],
  ["/acme/test?q=a+b&_rsc=1a2b3", "/acme/test?q=a+b"],
  ["//elsewhere.example/a", "//elsewhere.example/a"],
  ["/docs/webhooks", "/docs/webhooks"],
  ["/v2/conversations", "/v2/conversations"],
])(
  "%s gets a policy with a new nonce and its path, whatever the client sends",
  async (path, own) => {
    const [first, second] = [await get(path, forged), await get(path)];
    for (const { seen, policy } of [first, second]) {
      expect(seen[pathHeader]).toBe(own);
      expect(seen[preparedHeader]).toBe("true");
      expect(seen["content-security-policy"]).toBe(policy);
      expect(policy).toMatch(/script-src 'self' 'nonce-[\w+/]{22}==' 'strict-dynamic';/);
    }
    expect(first.policy).not.toBe(second.policy);
  },
);

test.each([
  ["/files/fil_1", {}],
  ["/_next/static/chunks/a.js", {}],
  ["/api/auth/session", {}],
  ["/docs/openapi.json", {}],
  ["/llms.txt", {}],
  ["/docs/webhooks", { accept: "text/markdown" }],
  [mailPagePath, {}],
  ["/%64ev/mail", {}],
])(
  "%s %o is left to Next and proxy.ts, and a client cannot claim otherwise",
  async (path, headers) => {
    const { seen, policy } = await get(path, { ...headers, [preparedHeader]: "true" });
    expect(seen[preparedHeader]).toBeUndefined();
    expect(policy).toBeNull();
  },
);

test.each([
  ["/docs", "/api/docs-markdown"],
  ["/docs/webhooks?a=1", "/api/docs-markdown/webhooks?a=1"],
])("a program that prefers Markdown gets it for %s", async (path, target) => {
  expect((await get(path, { accept: "text/markdown" })).seen[":path"]).toBe(target);
  expect((await get(path)).seen[":path"]).toBe(path);
});

test("proxy.ts is called for the same paths, unless a page is prepared, and always for mails", () => {
  const [pages, mails] = config.matcher;
  const { source, missing } = pages as { source: string; missing: unknown[] };
  expect(missing).toEqual([{ type: "header", key: preparedHeader }]);
  const lookahead = pagePath.source.replaceAll("\\/", "/").slice("^/".length);
  expect(source).toBe(`/(${lookahead}.*)`);
  expect(mails).toBe(`${mailPagePath}/:path*`);
});
