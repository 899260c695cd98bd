import { recordAudit } from "@/lib/audit/service";
import type { Caller } from "@/lib/platform/caller";
import { changedFields, previousAttributes } from "@/lib/platform/changes";
import { db, nullColumn } from "@/lib/platform/db";
import { invalidBody, notInThisStatus, tooManyWebhooks } from "@/lib/platform/errors";
import { mergeMetadata } from "@/lib/platform/metadata";
import { requireRole } from "@/lib/platform/roles";
import { openSecret, sealSecret, webhookSecretContext } from "@/lib/platform/secret-box";
import { now } from "@/lib/platform/time";
import { requireCursor } from "@/lib/resources/cursor";
import { newId } from "@/lib/resources/ids";
import { lockKind } from "@/lib/resources/lock-row";
import { pageById, toPage } from "@/lib/resources/pages";
import { sortedPage } from "@/lib/resources/sorted-page";
import { requireStepUp } from "@/lib/step-up/protected-actions";
import type { WebhookModel, WebhookSecretModel } from "@/prisma/generated/models";
import { addBacklogTask } from "./backlog-tasks";
import { patchHeaders } from "./custom-headers";
import { requireKnownReferences } from "./filter";
import { generateKeyPair, joinSecret, splitSecret } from "./key-pair";
import type { CreateWebhook, ListWebhooks, SortWebhooks, UpdateWebhook, Webhook } from "./schema";
import {
  lockWebhook,
  newSecret,
  requireWebhook,
  secretsOfWebhook,
  toWebhook,
  type WebhookWithSecrets,
} from "./stored-webhook";
import { findUrlProblem, isForbiddenTarget, maximumUrlLength } from "./webhook-url";

/** Per environment. */
export const maximumWebhooks = 20;

export async function listWebhooks(
  caller: Caller,
  { sort, ...page }: ListWebhooks & Partial<Pick<SortWebhooks, "sort">>,
) {
  const { db, partition } = caller;
  await requireCursor(caller, "webhooks", page.cursor);
  if (sort) {
    const rows = await db.webhook.findMany({
      where: { ...partition, deletedAt: null },
      include: secretsOfWebhook,
      take: maximumWebhooks,
    });
    const { data, ...next } = await sortedPage(rows, sort, page, async () => rows);
    return { data: data.map(toWebhook), ...next };
  }
  const { after, orderBy, take } = pageById(page);
  const rows = await db.webhook.findMany({
    where: { ...partition, deletedAt: null, ...after },
    orderBy,
    take,
    include: secretsOfWebhook,
  });
  return toPage(rows, page.limit, toWebhook);
}

/** For operators: the webhooks of one tenant or of all, newest first. */
export async function listAllWebhooks(tenantId: string | undefined) {
  const rows = await db().webhook.findMany({
    where: { deletedAt: null, ...(tenantId && { tenantId }) },
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
 * @returns the webhook with its secret, which is returned only once
 * @throws AppError `limit-reached` beyond 20 in an environment
 */
export async function createWebhook(
  caller: Caller,
  body: CreateWebhook,
): Promise<Webhook & { secret: string }> {
  requireRole(caller, "ADMIN", "create webhooks");
  await requireStepUp(caller, "createWebhook");
  requireUsableUrl(caller, body.url, caller.partition.tenantId);
  if (body.filter) await requireKnownReferences(caller, body.filter);

  await lockKind(caller, "webhooks");
  const where = { ...caller.partition, deletedAt: null };
  const existing = await caller.db.webhook.findMany({
    where,
    select: { id: true },
    take: maximumWebhooks,
  });
  if (existing.length >= maximumWebhooks) {
    throw tooManyWebhooks({ limit: maximumWebhooks, current: existing.length });
  }

  const at = new Date();
  const id = newId("webhook", at);
  const { headers: sentHeaders, ...fields } = body;
  const { secret, fields: firstSecret } = newSecret(
    caller.partition,
    { id, version: 1, hasKeyPair: needsKeyPair(fields.signatureScheme ?? "hmac") },
    at,
  );
  const headers = patchHeaders(
    caller.partition,
    { id, headerNames: [], sealedHeaders: null },
    sentHeaders,
  );
  const row = await caller.db.webhook.create({
    data: {
      ...caller.partition,
      ...fields,
      ...headers.columns,
      filter: body.filter ?? nullColumn,
      id,
      createdAt: at,
      updatedAt: at,
      secrets: { create: firstSecret },
    },
    include: secretsOfWebhook,
  });
  const webhook = toWebhook(row);
  await recordAudit(caller, {
    action: "webhook.created",
    targetId: id,
    changes: {
      after: {
        url: webhook.url,
        events: webhook.events,
        filter: webhook.filter,
        headerNames: webhook.headerNames,
        publicKeys: webhook.publicKeys,
        ...(webhook.acceptsReplies && { acceptsReplies: true }),
      },
    },
  });
  return { ...webhook, secret };
}

/**
 * Fields that decide which events are sent to which URL, and whether it can post messages. The
 * others only describe the webhook, or how fast and in which order it receives events.
 */
const deliveryFields: ReadonlySet<string> = new Set([
  "url",
  "events",
  "filter",
  "status",
  "signatureScheme",
  "acceptsReplies",
]);

/** `status: "ENABLED"` resets the count of failures, even if the webhook was enabled already. */
export async function updateWebhook(
  caller: Caller,
  id: string,
  patch: UpdateWebhook,
): Promise<Webhook> {
  requireRole(caller, "ADMIN", "change webhooks");
  if (patch.url !== undefined) requireUsableUrl(caller, patch.url, id);
  if (patch.filter) await requireKnownReferences(caller, patch.filter);
  const row = await lockWebhook(caller, id);
  caller.requireMatch?.(toWebhook(row));

  const { metadata: metadataPatch, headers: headersPatch, status, ...fields } = patch;
  const metadata = mergeMetadata(row.metadata, metadataPatch);

  if (status === "ENABLED" && row.suspendedAt) {
    const detail =
      "The webhook is suspended. An owner or admin has to confirm it in the dashboard, under Settings, Access review.";
    throw notInThisStatus(detail, { from: "DISABLED", to: "ENABLED" });
  }

  const at = new Date();
  const headers = patchHeaders(caller.partition, row, headersPatch);
  const changes = { ...fields, ...headers.columns, metadata, ...statusFields(row, status, at) };
  const before = toWebhook(row);
  const { signatureScheme } = patch;
  const secrets = signatureScheme ? withKeyPair(row, needsKeyPair(signatureScheme)) : row.secrets;
  const changed = changedFields(before, toWebhook({ ...row, ...changes, secrets }));
  const hasChangedHeaders = headers.changedNames.length > 0;
  if (changed.length === 0 && !hasChangedHeaders) return before;
  if (hasChangedHeaders || changed.some((field) => deliveryFields.has(field)))
    await requireStepUp(caller, "updateWebhook");

  for (const changedSecret of secrets.filter((secret) => !row.secrets.includes(secret))) {
    const { version, ciphertext, publicKey } = changedSecret;
    await caller.db.webhookSecret.update({
      where: {
        tenantId_environment_webhookId_version: { ...caller.partition, webhookId: id, version },
      },
      data: { ciphertext, publicKey },
    });
  }
  const where = { tenantId_environment_id: { ...caller.partition, id } };
  const after = toWebhook(
    await caller.db.webhook.update({
      where,
      data: {
        ...changes,
        filter: changes.filter === null ? nullColumn : changes.filter,
        updatedAt: at,
      },
      include: secretsOfWebhook,
    }),
  );
  await recordAudit(caller, {
    action: "webhook.updated",
    targetId: id,
    changes: {
      before: previousAttributes(before, changed),
      after: {
        ...previousAttributes(after, changed),
        // Never their values.
        ...(hasChangedHeaders && { changedHeaders: headers.changedNames }),
      },
    },
  });
  return after;
}

/** A key pair is made only for those who verify with it. */
const needsKeyPair = (scheme: Webhook["signatureScheme"]): boolean => scheme !== "hmac";

/**
 * The secrets of a webhook after a change of its scheme: the current one gets a key pair, or all of
 * them lose theirs. Unchanged rows are the same objects.
 */
function withKeyPair(
  { tenantId, environment, id, secrets }: WebhookWithSecrets,
  isWanted: boolean,
): WebhookSecretModel[] {
  const context = webhookSecretContext({ tenantId, environment }, id);
  return secrets.map((row, index) => {
    const isUnchanged = isWanted ? index > 0 || row.publicKey : !row.publicKey;
    if (isUnchanged) return row;
    const pair = isWanted ? generateKeyPair() : null;
    const { secret } = splitSecret(openSecret(row.ciphertext, context));
    const ciphertext = sealSecret(joinSecret(secret, pair), context);
    return { ...row, ciphertext, publicKey: pair?.publicKey ?? null };
  });
}

/**
 * The webhook disappears, and nothing more is sent to it. Its secrets and headers are deleted
 * immediately. Its deliveries, which can be millions, are deleted by a job. Its events stay.
 */
export async function deleteWebhook(caller: Caller, id: string) {
  requireRole(caller, "ADMIN", "delete webhooks");
  await requireStepUp(caller, "deleteWebhook");
  const row = await lockWebhook(caller, id);
  caller.requireMatch?.(toWebhook(row));
  const at = now();
  await caller.db.webhook.update({
    where: { tenantId_environment_id: { ...caller.partition, id } },
    data: {
      status: "DISABLED",
      deletedAt: at,
      updatedAt: at,
      sealedHeaders: null,
      secrets: { deleteMany: {} },
      backlogTasks: { deleteMany: {} },
    },
  });
  await addBacklogTask(caller, id, "DELETE");
  await recordAudit(caller, {
    action: "webhook.deleted",
    targetId: id,
    changes: { before: { url: row.url, events: row.events } },
  });
  return { id, deleted: true as const };
}

function statusFields(row: WebhookModel, status: UpdateWebhook["status"], at: Date) {
  if (status === "ENABLED") {
    return {
      status,
      disabledReason: null,
      disabledAt: null,
      consecutiveFailures: 0,
      probeAfter: null,
    };
  }
  if (status === "DISABLED" && row.status === "ENABLED")
    return { status, disabledReason: "MANUAL" as const, disabledAt: at };
  return {};
}

/** A URL inside the installation's network is recorded in the audit log as well. */
function requireUsableUrl({ partition }: Caller, url: string, targetId: string): void {
  const problem = findUrlProblem(url, partition);
  if (!problem) return;
  const error = invalidBody("/url", "invalid_url", problem);
  if (isForbiddenTarget(url)) {
    const changes = { url: url.slice(0, maximumUrlLength) };
    error.afterRollback = (caller) =>
      recordAudit(caller, { action: "webhook.address_refused", targetId, changes });
  }
  throw error;
}
