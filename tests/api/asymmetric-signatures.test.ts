import { createPublicKey, verify } from "node:crypto";
import { afterEach, beforeEach, expect, test } from "vitest";
import { GET as publicKeys } from "@/app/api/webhook-keys/[webhookId]/route";
import { attemptDelivery } from "@/lib/deliveries/engine/attempt-delivery";
import { db, pool } from "@/lib/platform/db";
import { verifyWebhook } from "@/sdk/src/webhooks";
import { call, newTenant, type TestTenant } from "../support/api";
import { type Receiver, startReceiver } from "../support/receiver";

let receiver: Receiver;
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(() => receiver.close());

async function newWebhook(tenant: TestTenant, signatureScheme = "both") {
  const { status, body } = await call(tenant, "POST", "/webhooks", {
    url: receiver.url,
    events: ["*"],
    signatureScheme,
  });
  expect(status).toBe(201);
  return body;
}

/** Sends a test to a webhook. @returns what its receiver got */
async function sent(tenant: TestTenant, webhookId: string) {
  const { body } = await call(tenant, "POST", `/webhooks/${webhookId}/test`);
  await attemptDelivery({ ...tenant.identity.partition, id: body.id });
  const request = receiver.requests.at(-1);
  if (!request) throw new Error("nothing was received");
  return request;
}

type Received = Awaited<ReturnType<typeof sent>>;

const isAccepted = ({ body, headers }: Received, keys: string[], changes: object = {}) =>
  verifyWebhook({ payload: body, header: headers, publicKeys: keys, ...changes }).then(
    () => "accepted",
    (error) => error.code,
  );

const keySetOf = async (webhookId: string) => {
  const params = Promise.resolve({ webhookId });
  const response = await publicKeys(new Request("http://localhost/"), { params });
  return { status: response.status, body: await response.json() };
};

const versionsIn = ({ headers }: Received) =>
  String(headers["webhook-signature"])
    .split(" ")
    .map((signature) => signature.split(",")[0]);

test("200 with v1a: the public key alone verifies a delivery, in the SDK and with any Ed25519 library", async () => {
  const tenant = await newTenant();
  const webhook = await newWebhook(tenant);
  const [publicKey] = webhook.publicKeys;
  expect(webhook.publicKeys).toEqual([expect.stringMatching(/^whpk_[A-Za-z0-9+/]{43}=$/)]);
  const received = await sent(tenant, webhook.id);
  expect(versionsIn(received)).toEqual(["v1", "v1a"]);
  expect(await isAccepted(received, [publicKey])).toBe("accepted");
  // The secret still verifies it, too.
  const { body: payload, headers: header } = received;
  await verifyWebhook({ payload, header, secret: webhook.secret });

  const { status, body } = await keySetOf(webhook.id);
  expect([status, body.keys]).toEqual([
    200,
    [expect.objectContaining({ kty: "OKP", crv: "Ed25519", publicKey, expiresAt: null })],
  ]);
  const key = createPublicKey({ key: body.keys[0], format: "jwk" });
  const { headers } = received;
  const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${received.body}`;
  const signature = String(headers["webhook-signature"]).split("v1a,")[1] ?? "";
  expect(verify(null, Buffer.from(signed), key, Buffer.from(signature, "base64"))).toBe(true);
});

test("a delivery that was changed, signed by another key or without v1a is refused", async () => {
  const tenant = await newTenant();
  const { id, publicKeys: keys } = await newWebhook(tenant);
  const { publicKeys: others } = await newWebhook(tenant);
  const received = await sent(tenant, id);
  const headers = received.headers as Record<string, string>;
  const later = String(Number(headers["webhook-timestamp"]) + 1);
  const refused: [object, string][] = [
    [{ payload: `${received.body} ` }, "signature-mismatch"],
    [{ publicKeys: others }, "signature-mismatch"],
    [{ publicKeys: ["whpk_", "nonsense", "whpk_AAAA"] }, "signature-mismatch"],
    [{ header: { ...headers, "webhook-id": "evt_other" } }, "signature-mismatch"],
    [{ header: { ...headers, "webhook-timestamp": later } }, "signature-mismatch"],
    [{ header: { ...headers, "webhook-signature": "v1a,AAAA v1a,%%%" } }, "signature-mismatch"],
    [{ header: { ...headers, "webhook-signature": "v1,AAAA" } }, "malformed-header"],
    [{ header: { ...headers, "webhook-timestamp": "soon" } }, "malformed-header"],
    [{ header: headers["x-service-signature"] }, "missing-header"],
    [{ header: undefined }, "missing-header"],
    [{ now: new Date(Date.now() + 400_000) }, "timestamp-too-old"],
    [{ publicKeys: [undefined] }, "missing-secret"],
  ];
  for (const [changes, code] of refused)
    expect([changes, await isAccepted(received, keys, changes)]).toEqual([changes, code]);
  expect(await isAccepted(received, [...others, ...keys])).toBe("accepted");
});

test("200 for a rotation: both keys sign during the overlap, and the old one does not after it", async () => {
  const tenant = await newTenant();
  const created = await newWebhook(tenant);
  const path = `/webhooks/${created.id}`;
  const { body: rotated } = await call(tenant, "POST", `${path}/rotate-secret`);
  const [fresh, old] = rotated.publicKeys;
  expect([old, fresh === old]).toEqual([created.publicKeys[0], false]);
  const during = await sent(tenant, created.id);
  expect(versionsIn(during)).toEqual(["v1", "v1", "v1a", "v1a"]);
  expect(await isAccepted(during, [old])).toBe("accepted");
  expect(await isAccepted(during, [fresh])).toBe("accepted");
  expect((await keySetOf(created.id)).body.keys.map((key: { kid: string }) => key.kid)).toEqual([
    `${created.id}.2`,
    `${created.id}.1`,
  ]);

  const leaked = { overlapSeconds: 0 };
  const { body: last } = await call(tenant, "POST", `${path}/rotate-secret`, leaked);
  expect(last.publicKeys).toHaveLength(1);
  const after = await sent(tenant, created.id);
  expect(await isAccepted(after, [old, fresh])).toBe("signature-mismatch");
  expect(await isAccepted(after, last.publicKeys)).toBe("accepted");
});

test("200 for a patch: the scheme of signatures can be changed, and the secret stays", async () => {
  const tenant = await newTenant();
  const created = await newWebhook(tenant, "hmac");
  expect([created.signatureScheme, created.publicKeys]).toEqual(["hmac", []]);
  expect(versionsIn(await sent(tenant, created.id))).toEqual(["v1"]);
  expect((await keySetOf(created.id)).status).toBe(404);
  const turn = (signatureScheme: string) =>
    call(tenant, "PATCH", `/webhooks/${created.id}`, { signatureScheme });

  const { body: on } = await turn("both");
  const received = await sent(tenant, created.id);
  expect(await isAccepted(received, on.publicKeys)).toBe("accepted");
  await verifyWebhook({
    payload: received.body,
    header: received.headers,
    secret: created.secret,
  });
  const { body: same } = await turn("both");
  expect([same.publicKeys, same.updatedAt]).toEqual([on.publicKeys, on.updatedAt]);
  expect((await turn("hmac")).body).toMatchObject({ signatureScheme: "hmac", publicKeys: [] });
  expect(versionsIn(await sent(tenant, created.id))).toEqual(["v1"]);
  expect((await turn("both")).body.publicKeys).not.toEqual(on.publicKeys);
});

test("200 for a patch of another field: a key pair that a process of the version before made stays", async () => {
  const tenant = await newTenant();
  const { id, publicKeys } = await newWebhook(tenant);
  await pool().query("UPDATE webhooks SET signature_scheme = 'hmac' WHERE id = $1", [id]);
  const { body } = await call(tenant, "PATCH", `/webhooks/${id}`, { description: "Changed" });
  expect(body).toMatchObject({ description: "Changed", publicKeys });
});

test("200 with ed25519: webhook-signature has no signature that the secret makes, also after a rotation", async () => {
  const tenant = await newTenant();
  const created = await newWebhook(tenant, "ed25519");
  const first = await sent(tenant, created.id);
  expect(versionsIn(first)).toEqual(["v1a"]);
  expect(await isAccepted(first, created.publicKeys)).toBe("accepted");
  // The specification's own header is always made with the secret.
  await verifyWebhook({
    payload: first.body,
    header: first.headers["x-service-signature"],
    secret: created.secret,
  });
  const { body: rotated } = await call(tenant, "POST", `/webhooks/${created.id}/rotate-secret`);
  expect(rotated.signatureScheme).toBe("ed25519");
  expect(versionsIn(await sent(tenant, created.id))).toEqual(["v1a", "v1a"]);
  const changed = await call(tenant, "PATCH", `/webhooks/${created.id}`, {
    signatureScheme: "both",
  });
  expect(changed.body.publicKeys).toEqual(rotated.publicKeys);
  expect(versionsIn(await sent(tenant, created.id))).toEqual(["v1", "v1", "v1a", "v1a"]);
});

test("422 for an unknown scheme of signatures", async () => {
  const tenant = await newTenant();
  const { id } = await newWebhook(tenant);
  for (const signatureScheme of ["rsa", "", null, true]) {
    const { status, body } = await call(tenant, "PATCH", `/webhooks/${id}`, { signatureScheme });
    expect([status, body.errors[0].pointer]).toEqual([422, "/signatureScheme"]);
  }
});

test("404 for the keys of a webhook that is deleted, missing or malformed", async () => {
  const tenant = await newTenant();
  const { id } = await newWebhook(tenant);
  expect((await keySetOf(id)).status).toBe(200);
  await call(tenant, "DELETE", `/webhooks/${id}`);
  for (const hidden of [id, `whk_${"0".repeat(26)}`, "whk_", "../secrets"])
    expect((await keySetOf(hidden)).status).toBe(404);
});

test("the private key is sealed: no column contains it", async () => {
  const { id } = await newWebhook(await newTenant());
  const [row] = await db().webhookSecret.findMany({ where: { webhookId: id } });
  expect(row?.publicKey).toMatch(/^whpk_/);
  const { rows } = await pool().query("SELECT s::text AS text FROM webhook_secrets s");
  expect(JSON.stringify(rows)).not.toContain("whsk_");
});
