import { db } from "@/lib/platform/db";
import { now } from "@/lib/platform/time";
import { isId } from "@/lib/resources/ids";

/** A JSON Web Key Set (RFC 7517), with each key also in the format of Standard Webhooks. */
export type PublicKeySet = {
  keys: {
    kty: "OKP";
    crv: "Ed25519";
    use: "sig";
    alg: "EdDSA";
    kid: string;
    x: string;
    publicKey: string;
    /** Until then, deliveries are also signed with this older key. */
    expiresAt: string | null;
  }[];
};

/**
 * The public keys that verify a webhook's deliveries, newest first, for anyone who knows its id.
 * Null for a webhook that has none or does not exist.
 */
export async function publicKeysOf(webhookId: string): Promise<PublicKeySet | null> {
  if (!isId("webhook", webhookId)) return null;
  const rows = await db().webhookSecret.findMany({
    where: {
      webhookId,
      publicKey: { not: null },
      webhook: { deletedAt: null },
      OR: [{ expiresAt: null }, { expiresAt: { gt: now() } }],
    },
    orderBy: { version: "desc" },
    take: 2,
  });
  if (rows.length === 0) return null;
  return {
    keys: rows.map(({ publicKey, version, expiresAt }) => ({
      kty: "OKP",
      crv: "Ed25519",
      use: "sig",
      alg: "EdDSA",
      kid: `${webhookId}.${version}`,
      x: Buffer.from(publicKey?.replace("whpk_", "") ?? "", "base64").toString("base64url"),
      publicKey: publicKey ?? "",
      expiresAt: expiresAt?.toISOString() ?? null,
    })),
  };
}
