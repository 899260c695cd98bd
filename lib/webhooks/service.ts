import { recordAudit } from "@/lib/audit/service";
import type { Caller, Partition } from "@/lib/caller";
import { changedFields, previousAttributes } from "@/lib/changes";
import { db } from "@/lib/db";
import { AppError, invalidBody, notFound } from "@/lib/errors";
import { newId } from "@/lib/ids";
import { type Metadata, mergeMetadata, pageById, toPage } from "@/lib/schema";
import type { WebhookModel, WebhookSecretModel } from "@/prisma/generated/models";
import { findUrlProblem } from "./outbound-request";
import type { CreateWebhook, ListWebhooks, UpdateWebhook, Webhook } from "./schema";
import { generateSigningSecret, sealSecret, webhookSecretContext } from "./secret-box";

const maximumWebhooks = 20;

/** The newest secret first; the one before it is there while both sign. */
const secretsOfWebhook = { secrets: { orderBy: { version: "desc" }, take: 2 } } as const;

type WebhookWithSecrets = WebhookModel & { secrets: WebhookSecretModel[] };

export async function listWebhooks({ db, partition }: Caller, page: ListWebhooks) {
  const { after, orderBy, take } = pageById(page);
  const rows = await db.webhook.findMany({ where: { ...partition, ...after }, orderBy, take, include: secretsOfWebhook });
  return toPage(rows, page.limit, toWebhook);
}

/** For operators: the webhooks of one tenant or of all, newest first. */
export async function listAllWebhooks(tenantId: string | undefined) {
  const rows = await db().webhook.findMany({
    where: tenantId ? { tenantId } : {},
    orderBy: { id: "desc" },
    take: 1_000,
    include: secretsOfWebhook,
  });
  return rows.map((row) => ({ tenantId: row.tenantId, ...toWebhook(row) }));
}

export async function getWebhook(caller: Caller, id: string) {
  return toWebhook(await requireWebhook(caller, id));
}

/**
 * @returns the webhook and, this once, its secret.
 * @throws AppError `limit-reached` beyond 20 in an environment
 */
export async function createWebhook(caller: Caller, body: CreateWebhook): Promise<Webhook & { secret: string }> {
  const { tenantId, environment } = caller.partition;
  requireUsableUrl(caller.partition, body.url);

  // Two creations at once must not both find the last place free.
  await caller.db.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${`webhooks:${tenantId}:${environment}`}, 0))`;
  const existing = await caller.db.webhook.findMany({ where: caller.partition, select: { id: true }, take: maximumWebhooks });
  if (existing.length >= maximumWebhooks) {
    throw new AppError("limit-reached", `An environment has at most ${maximumWebhooks} webhooks. Delete one to make room.`);
  }

  const at = new Date();
  const id = newId("webhook", at);
  const secret = generateSigningSecret();
  const firstSecret = {
    version: 1,
    ciphertext: sealSecret(secret, webhookSecretContext(caller.partition, id)),
    hint: secretHint(secret),
    createdAt: at,
  };
  const row = await caller.db.webhook.create({
    data: { ...caller.partition, ...body, id, createdAt: at, updatedAt: at, secrets: { create: firstSecret } },
    include: secretsOfWebhook,
  });
  const webhook = toWebhook(row);
  await recordAudit(caller, { action: "webhook.created", targetId: id, changes: { after: { url: webhook.url, events: webhook.events } } });
  return { ...webhook, secret };
}

/** `status: "ENABLED"` sets the count of failures to 0, also where the webhook was enabled all along. */
export async function updateWebhook(caller: Caller, id: string, patch: UpdateWebhook): Promise<Webhook> {
  if (patch.url !== undefined) requireUsableUrl(caller.partition, patch.url);
  await lockWebhook(caller, id);
  const row = await requireWebhook(caller, id);

  const { metadata: metadataPatch, status, ...fields } = patch;
  const metadata = metadataPatch && mergeMetadata(row.metadata as Metadata, metadataPatch);
  if (metadata === null) throw invalidBody("/metadata", "too_big", "metadata: holds at most 50 keys");

  const at = new Date();
  const changes = { ...fields, ...(metadata && { metadata }), ...statusFields(row, status, at) };
  const before = toWebhook(row);
  const changed = changedFields(before, toWebhook({ ...row, ...changes }));
  if (changed.length === 0) return before;

  const where = { tenantId_environment_id: { ...caller.partition, id } };
  const after = toWebhook(await caller.db.webhook.update({ where, data: { ...changes, updatedAt: at }, include: secretsOfWebhook }));
  await recordAudit(caller, {
    action: "webhook.updated",
    targetId: id,
    changes: { before: previousAttributes(before, changed), after: previousAttributes(after, changed) },
  });
  return after;
}

/** Its deliveries go with it; its events stay. */
export async function deleteWebhook(caller: Caller, id: string) {
  const row = await requireWebhook(caller, id);
  await caller.db.webhook.delete({ where: { tenantId_environment_id: { ...caller.partition, id } } });
  await recordAudit(caller, { action: "webhook.deleted", targetId: id, changes: { before: { url: row.url, events: row.events } } });
  return { id, deleted: true as const };
}

function statusFields(row: WebhookModel, status: UpdateWebhook["status"], at: Date) {
  if (status === "ENABLED") {
    return { status, disabledReason: null, disabledAt: null, consecutiveFailures: 0, probeAfter: null };
  }
  if (status === "DISABLED" && row.status === "ENABLED") return { status, disabledReason: "MANUAL" as const, disabledAt: at };
  return {};
}

/** Until the transaction ends, so that a change and the worker's disabling come one after the other. */
async function lockWebhook({ db, partition }: Caller, id: string): Promise<void> {
  await db.$queryRaw`SELECT 1 FROM webhooks
    WHERE tenant_id = ${partition.tenantId} AND environment = ${partition.environment}::"Environment" AND id = ${id} FOR NO KEY UPDATE`;
}

async function requireWebhook({ db, partition }: Caller, id: string): Promise<WebhookWithSecrets> {
  const found = await db.webhook.findUnique({ where: { tenantId_environment_id: { ...partition, id } }, include: secretsOfWebhook });
  if (!found) throw notFound("webhook", id);
  return found;
}

function requireUsableUrl({ environment }: Partition, url: string): void {
  const problem = findUrlProblem(url, { environment });
  if (problem) throw invalidBody("/url", "invalid_url", `url: ${problem}`);
}

const secretHint = (secret: string) => `whsec_…${secret.slice(-4)}`;

export function toWebhook(row: WebhookWithSecrets): Webhook {
  const [current, previous] = row.secrets;
  const isOverlapping = previous?.expiresAt && previous.expiresAt > new Date();
  return {
    id: row.id,
    environment: row.environment,
    url: row.url,
    description: row.description,
    events: row.events,
    status: row.status,
    disabledReason: row.disabledReason,
    disabledAt: row.disabledAt?.toISOString() ?? null,
    consecutiveFailures: row.consecutiveFailures,
    lastSuccessAt: row.lastSuccessAt?.toISOString() ?? null,
    lastFailureAt: row.lastFailureAt?.toISOString() ?? null,
    secretHint: current?.hint ?? "",
    previousSecretExpiresAt: isOverlapping ? (previous?.expiresAt?.toISOString() ?? null) : null,
    metadata: row.metadata as Metadata,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}
