import type { Caller, Partition } from "@/lib/platform/caller";
import type { Metadata } from "@/lib/platform/metadata";
import { generateSigningSecret, sealSecret, webhookSecretContext } from "@/lib/platform/secret-box";
import { now } from "@/lib/platform/time";
import { lockRow } from "@/lib/resources/lock-row";
import { notFound } from "@/lib/resources/not-found";
import type { WebhookModel, WebhookSecretModel } from "@/prisma/generated/models";
import { toDeliveryOptions } from "./delivery-options";
import type { WebhookFilter } from "./filter-schema";
import { generateKeyPair, joinSecret } from "./key-pair";
import type { Webhook } from "./schema";

// Reads and writes the rows of a webhook and its secrets, for service.ts and rotate-secret.ts.

/** The newest secret first, and the previous one while both sign. */
export const secretsOfWebhook = { secrets: { orderBy: { version: "desc" }, take: 2 } } as const;

export type WebhookWithSecrets = WebhookModel & { secrets: WebhookSecretModel[] };

/**
 * The row, locked until the transaction ends, so that a change and the worker's disabling do not
 * mix.
 */
export async function lockWebhook(caller: Caller, id: string): Promise<WebhookWithSecrets> {
  await lockRow(caller, "webhooks", id);
  return requireWebhook(caller, id);
}

export async function requireWebhook(
  { db, partition }: Caller,
  id: string,
): Promise<WebhookWithSecrets> {
  const where = { tenantId_environment_id: { ...partition, id }, deletedAt: null };
  const found = await db.webhook.findUnique({ where, include: secretsOfWebhook });
  if (!found) throw notFound("webhook", id);
  return found;
}

export async function touchWebhook(
  { db, partition }: Caller,
  id: string,
  at: Date,
): Promise<Webhook> {
  const where = { tenantId_environment_id: { ...partition, id } };
  return toWebhook(
    await db.webhook.update({ where, data: { updatedAt: at }, include: secretsOfWebhook }),
  );
}

export function newSecret(
  partition: Partition,
  { id, version, hasKeyPair }: { id: string; version: number; hasKeyPair: boolean },
  at: Date,
) {
  const secret = generateSigningSecret();
  const pair = hasKeyPair ? generateKeyPair() : null;
  const ciphertext = sealSecret(joinSecret(secret, pair), webhookSecretContext(partition, id));
  const publicKey = pair?.publicKey ?? null;
  const hint = secretHint(secret);
  return { secret, fields: { version, ciphertext, hint, publicKey, createdAt: at } };
}

const secretHint = (secret: string) => `whsec_…${secret.slice(-4)}`;

export function toWebhook(row: WebhookWithSecrets): Webhook {
  const [current, previous] = row.secrets;
  const isOverlapping = previous?.expiresAt && previous.expiresAt > now();
  return {
    id: row.id,
    environment: row.environment,
    url: row.url,
    description: row.description,
    events: row.events,
    filter: row.filter as WebhookFilter | null,
    headerNames: row.headerNames,
    ...toDeliveryOptions(row),
    status: row.status,
    disabledReason: row.disabledReason,
    disabledAt: row.disabledAt?.toISOString() ?? null,
    consecutiveFailures: row.consecutiveFailures,
    lastSuccessAt: row.lastSuccessAt?.toISOString() ?? null,
    lastFailureAt: row.lastFailureAt?.toISOString() ?? null,
    secretHint: current?.hint ?? "",
    previousSecretExpiresAt: isOverlapping ? (previous?.expiresAt?.toISOString() ?? null) : null,
    publicKeys: [current, isOverlapping ? previous : undefined].flatMap(
      (secret) => secret?.publicKey ?? [],
    ),
    metadata: row.metadata as Metadata,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}
