import { createHmac, timingSafeEqual } from "node:crypto";
import type { Partition } from "@/lib/platform/caller";
import { env } from "@/lib/platform/env";
import { fileLinkExpired, invalidFileLink } from "@/lib/platform/errors";
import { now } from "@/lib/platform/time";

const validSeconds = 5 * 60;

/** A file and its partition, as the path of a link names them. */
export type FileReference = { tenantId: string; environment: string; fileId: string };

/** A link that anyone can download the file with for 5 minutes. Nothing of it is stored. */
export function linkTo({ tenantId, environment }: Partition, fileId: string) {
  const expires = Math.floor(now().getTime() / 1_000) + validSeconds;
  const [current] = env().SECRET_KEYS;
  if (!current) throw new Error("SECRET_KEYS holds no key");
  const signature = sign(current.key, { tenantId, environment, fileId }, String(expires));
  return {
    url: `${env().APP_URL}/files/${tenantId}/${environment}/${fileId}?expires=${expires}&signature=${signature}`,
    urlExpiresAt: new Date(expires * 1_000).toISOString(),
  };
}

/**
 * Any master key may have signed the link, so that links outlive a change of the first one.
 * @returns for how many seconds the link is still valid
 * @throws AppError `invalid-link` unless the link is complete, unchanged and valid
 */
export function requireValidLink(reference: FileReference, query: URLSearchParams): number {
  const expires = query.get("expires") ?? "";
  // Compared as text: several texts decode to the same bytes, and only one of them is the link's.
  const sent = Buffer.from(query.get("signature") ?? "");
  const isSigned = env().SECRET_KEYS.some(({ key }) => {
    const signature = Buffer.from(sign(key, reference, expires));
    return sent.length === signature.length && timingSafeEqual(sent, signature);
  });
  if (!isSigned) throw invalidFileLink();
  const remaining = Number(expires) - Math.floor(now().getTime() / 1_000);
  if (remaining <= 0) throw fileLinkExpired();
  return remaining;
}

/** With a key of its own, so that no other use of the master key can make a link. */
function sign(
  masterKey: Buffer,
  { tenantId, environment, fileId }: FileReference,
  expires: string,
): string {
  const key = createHmac("sha256", masterKey).update("parlance file links").digest();
  return createHmac("sha256", key)
    .update(JSON.stringify([tenantId, environment, fileId, expires]))
    .digest("base64url");
}
