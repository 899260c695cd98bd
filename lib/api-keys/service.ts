import { recordAudit } from "@/lib/audit/service";
import type { Caller, Partition } from "@/lib/platform/caller";
import { changedFields, previousAttributes } from "@/lib/platform/changes";
import { db } from "@/lib/platform/db";
import { AppError } from "@/lib/platform/errors";
import { requireRole } from "@/lib/platform/roles";
import { lockRow } from "@/lib/resources/lock-row";
import { notFound } from "@/lib/resources/not-found";
import { pageById, toPage } from "@/lib/resources/pages";
import { mostSorted, sortedPage } from "@/lib/resources/sorted-page";
import { requireStepUp } from "@/lib/step-up/protected-actions";
import { Environment } from "@/prisma/generated/enums";
import {
  type CreateApiKey,
  type ListApiKeys,
  type Overlap,
  overlaps,
  type UpdateApiKey,
} from "./schema";
import { apiKeyStatus, apiKeyStatuses, statusCondition } from "./status";
import {
  auditedSettings,
  forgetKey,
  insertApiKey,
  isCappedByPlan,
  lockLivingKey,
  requireApiKey,
  requireRateLimit,
  requireRoomForKey,
  settingsOf,
  withoutHash,
} from "./stored-api-key";

/**
 * Creates a key in the caller's environment.
 * @returns the row and the key itself, which cannot be retrieved again.
 * @throws AppError `limit-reached` beyond 100 valid keys
 */
export async function createApiKey(caller: Caller, input: CreateApiKey) {
  requireRole(caller, "ADMIN", "create API keys");
  await requireStepUp(caller, "createApiKey");
  await requireRateLimit(caller, input.rateLimitPerMinute);
  await requireRoomForKey(caller, "Revoke keys that you no longer need.");
  const isCapped = isCappedByPlan(caller);
  const { apiKey, key } = await insertApiKey(caller, { ...input, isCappedByPlan: isCapped });
  await recordAudit(caller, {
    action: "api_key.created",
    targetId: apiKey.id,
    changes: { after: auditedSettings(apiKey) },
  });
  return { apiKey: withoutHash(apiKey), key };
}

/** The keys of the environment, newest first, including revoked and expired ones. */
export async function listApiKeys(
  { db, partition }: Caller,
  { status, sort, ...page }: ListApiKeys,
  now = new Date(),
) {
  if (sort) {
    const where = { ...partition, ...(status && statusCondition(status, now)) };
    const rows = await db.apiKey.findMany({ where, orderBy: { id: "desc" }, take: mostSorted });
    const byId = new Map(rows.map((row) => [row.id, row]));
    const keys = rows.map((row) => ({
      ...{ id: row.id, name: row.name, lastUsedAt: row.lastUsedAt },
      status: apiKeyStatuses.indexOf(apiKeyStatus(row, now)),
    }));
    const { data, ...next } = await sortedPage(keys, sort, page, async (ids) =>
      ids.flatMap((id) => byId.get(id) ?? []),
    );
    return { data: data.map(withoutHash), ...next };
  }
  const { after, orderBy, take } = pageById(page);
  const conditions = [after, status ? statusCondition(status, now) : {}];
  const rows = await db.apiKey.findMany({
    where: { ...partition, AND: conditions },
    orderBy,
    take,
  });
  return toPage(rows, page.limit, withoutHash);
}

export async function getApiKey(caller: Caller, id: string) {
  return withoutHash(await requireApiKey(caller, id));
}

/** The key that this one replaced, if it did. */
export async function findPredecessor({ db, partition }: Caller, id: string) {
  const found = await db.apiKey.findFirst({ where: { ...partition, replacedById: id } });
  return found && withoutHash(found);
}

/** Names and hints of keys in both environments, by id. Unknown ids are left out. */
export async function apiKeyNames(
  { db, partition }: Caller,
  ids: string[],
): Promise<Map<string, { name: string; hint: string }>> {
  if (ids.length === 0) return new Map();
  const keys = await db.apiKey.findMany({
    where: {
      tenantId: partition.tenantId,
      environment: { in: Object.values(Environment) },
      id: { in: ids },
    },
    select: { id: true, name: true, hint: true },
  });
  return new Map(keys.map(({ id, ...key }) => [id, key]));
}

/** For operators, who know a key's id but not its tenant. */
export async function partitionOfApiKey(id: string): Promise<Partition> {
  const found = await db().apiKey.findFirst({
    where: { id },
    select: { tenantId: true, environment: true },
  });
  if (!found) throw notFound("apiKey", id);
  return found;
}

/**
 * Changes a key's name, scopes, addresses or limit. Takes effect within a second.
 * @throws AppError `invalid-transition` for a revoked or expired key
 */
export async function updateApiKey(caller: Caller, id: string, input: UpdateApiKey) {
  requireRole(caller, "ADMIN", "change API keys");
  const before = await lockLivingKey(caller, id, "changed");
  const { rateLimitPerMinute: limit = before.rateLimitPerMinute } = input;
  const isNewLimit = limit !== before.rateLimitPerMinute;
  if (isNewLimit) await requireRateLimit(caller, limit);

  const where = { tenantId_environment_id: { ...caller.partition, id } };
  const data = { ...input, ...(isNewLimit && { isCappedByPlan: isCappedByPlan(caller) }) };
  const after = await caller.db.apiKey.update({ where, data });
  const [was, is] = [auditedSettings(before), auditedSettings(after)];
  const changed = changedFields(was, is);
  if (changed.length === 0) return withoutHash(after);
  if (changed.some((field) => field !== "name")) await requireStepUp(caller, "updateApiKey");
  await forgetKey(caller, after);
  const changes = {
    before: previousAttributes(was, changed),
    after: previousAttributes(is, changed),
  };
  await recordAudit(caller, { action: "api_key.updated", targetId: id, changes });
  return withoutHash(after);
}

/**
 * Creates a key with the same settings. The old key stays valid for the overlap, but not past its
 * own expiry. If the old key was created with a lifetime, the new one gets the same lifetime from
 * now on. If a user rolls it, only the new key has a limit that an operator raised.
 * @returns the new row, the new key, which cannot be retrieved again, and the old row.
 * @throws AppError `invalid-transition` for a revoked or expired key, `rotation-in-progress` for
 * one that was already rolled
 */
export async function rollApiKey(caller: Caller, id: string, overlap: Overlap) {
  requireRole(caller, "ADMIN", "rotate API keys");
  await requireStepUp(caller, "rollApiKey");
  const before = await lockLivingKey(caller, id, "rotated");
  if (before.replacedById) {
    throw new AppError(
      "rotation-in-progress",
      "This key was already rotated. Rotate the key that replaced it.",
      {
        existingId: before.replacedById,
      },
    );
  }
  // Without an overlap, the new key replaces the old one, so a leaked key can always be rolled.
  if (overlap !== "now")
    await requireRoomForKey(
      caller,
      "Rotate the key without an overlap, or revoke keys that you no longer need.",
    );
  const now = new Date();
  const lifetimeMs = before.expiresAt && before.expiresAt.getTime() - before.createdAt.getTime();
  const { apiKey, key } = await insertApiKey(caller, {
    ...settingsOf(before),
    isCappedByPlan: before.isCappedByPlan,
    expiresAt: lifetimeMs === null ? null : new Date(now.getTime() + lifetimeMs),
  });

  const overlapEnd = new Date(now.getTime() + overlaps[overlap] * 1000);
  const expiresAt =
    before.expiresAt && before.expiresAt < overlapEnd ? before.expiresAt : overlapEnd;
  const where = { tenantId_environment_id: { ...caller.partition, id } };
  const replaced = await caller.db.apiKey.update({
    where,
    data: {
      expiresAt,
      replacedById: apiKey.id,
      // Otherwise, a user who rotates again and again has many keys with the raised limit.
      isCappedByPlan: before.isCappedByPlan || isCappedByPlan(caller),
    },
  });
  await forgetKey(caller, replaced);
  await recordAudit(caller, {
    action: "api_key.rolled",
    targetId: id,
    changes: {
      before: { hint: before.hint, expiresAt: before.expiresAt?.toISOString() ?? null },
      after: { replacedById: apiKey.id, hint: apiKey.hint, expiresAt: expiresAt.toISOString() },
    },
  });
  await recordAudit(caller, {
    action: "api_key.created",
    targetId: apiKey.id,
    changes: { after: { ...auditedSettings(apiKey), replaces: id } },
  });
  return { apiKey: withoutHash(apiKey), key, replaced: withoutHash(replaced) };
}

/**
 * Revoking a key again does nothing. Every process drops the key from its cache when this commits.
 */
export async function revokeApiKey(caller: Caller, id: string) {
  requireRole(caller, "ADMIN", "revoke API keys");
  await requireStepUp(caller, "revokeApiKey");
  await lockRow(caller, "api_keys", id);
  const found = await requireApiKey(caller, id);
  if (found.revokedAt) return withoutHash(found);

  const where = { tenantId_environment_id: { ...caller.partition, id } };
  const revoked = await caller.db.apiKey.update({ where, data: { revokedAt: new Date() } });
  await forgetKey(caller, found);
  await recordAudit(caller, {
    action: "api_key.revoked",
    targetId: id,
    changes: { before: { name: found.name, hint: found.hint } },
  });
  return withoutHash(revoked);
}
