import { expect, test } from "vitest";
import { call, newTenant } from "../support/api";
import { startWeb } from "../support/processes";

// Through the built product, because the path is a rewrite in next.config.js.

test("anyone can read a webhook's public keys at /.well-known, and nothing else", async () => {
  const web = await startWeb();
  try {
    const tenant = await newTenant();
    const create = async (signatureScheme: string) =>
      (
        await call(tenant, "POST", "/webhooks", {
          url: "https://example.com/hook",
          events: ["*"],
          signatureScheme,
        })
      ).body;
    const webhook = await create("both");
    const get = (id: string, init?: RequestInit) =>
      fetch(`${web.url}/.well-known/webhook-keys/${id}`, { redirect: "manual", ...init });

    const found = await get(webhook.id);
    expect([found.status, found.headers.get("cache-control")]).toEqual([
      200,
      "public, max-age=300",
    ]);
    const [publicKey] = webhook.publicKeys;
    const raw = Buffer.from(publicKey.replace("whpk_", ""), "base64");
    expect(await found.json()).toEqual({
      keys: [
        {
          kty: "OKP",
          crv: "Ed25519",
          use: "sig",
          alg: "EdDSA",
          kid: `${webhook.id}.1`,
          x: raw.toString("base64url"),
          publicKey,
          expiresAt: null,
        },
      ],
    });

    const responseTo = async (id: string) => {
      const response = await get(id);
      return [response.status, response.headers.get("cache-control"), await response.text()];
    };
    const withoutKeys = await responseTo((await create("hmac")).id);
    expect(withoutKeys.slice(0, 2)).toEqual([404, "no-store"]);
    for (const unknown of ["whk_01KA5V0V7W3Y5Z8J4QX2N6M9TC", "whk_%27", tenant.tenantId])
      expect(await responseTo(unknown)).toEqual(withoutKeys);
    expect((await get(webhook.id, { method: "POST" })).status).toBe(405);
  } finally {
    await web.end();
  }
});
