import { recordAudit } from "@/lib/audit/service";
import { requireRecentProof } from "@/lib/auth/proof";
import { requireRole } from "@/lib/auth/roles";
import type { Caller, Partition } from "@/lib/caller";
import { db } from "@/lib/db";
import { notFound } from "@/lib/errors";
import { newId } from "@/lib/ids";
import { generateKey } from "./key";
import { keysChannel } from "./key-cache";
import type { CreateApiKey } from "./schema";

/**
 * Makes a key in the caller's environment.
 * @returns the row and the key itself, which can never be had again.
 */
export async function createApiKey(caller: Caller, input: CreateApiKey) {
  requireRole(caller, "ADMIN", "create API keys");
  if (caller.partition.environment === "live") requireRecentProof(caller, "create a live key");
  const { key, hash, hint } = generateKey(caller.partition.environment);
  const apiKey = await caller.db.apiKey.create({
    data: {
      ...caller.partition,
      id: newId("apiKey"),
      name: input.name,
      hash: new Uint8Array(hash),
      hint,
      scopes: input.scopes,
      createdById: caller.actor.type === "USER" ? caller.actor.id : null,
      createdAt: new Date(),
      expiresAt: input.expiresAt ?? null,
      allowedIps: input.allowedIps ?? [],
      rateLimitPerMinute: input.rateLimitPerMinute ?? null,
    },
  });
  await recordAudit(caller, {
    action: "api_key.created",
    targetId: apiKey.id,
    changes: { after: { name: apiKey.name, scopes: apiKey.scopes, hint, expiresAt: apiKey.expiresAt?.toISOString() ?? null } },
  });
  return { apiKey: withoutHash(apiKey), key };
}

/** All keys of the environment, newest first, revoked ones included. */
export async function listApiKeys(caller: Caller) {
  const keys = await caller.db.apiKey.findMany({ where: caller.partition, orderBy: { id: "desc" }, take: 500 });
  return keys.map(withoutHash);
}

/** For operators, who name a key without knowing whose it is. */
export async function partitionOfApiKey(id: string): Promise<Partition> {
  const found = await db().apiKey.findFirst({ where: { id }, select: { tenantId: true, environment: true } });
  if (!found) throw notFound("apiKey", id);
  return found;
}

/** Revoking twice is revoking once. Every process drops the key from its cache when this commits. */
export async function revokeApiKey(caller: Caller, id: string) {
  requireRole(caller, "ADMIN", "revoke API keys");
  const where = { tenantId_environment_id: { ...caller.partition, id } };
  const found = await caller.db.apiKey.findUnique({ where });
  if (!found) throw notFound("apiKey", id);
  if (found.revokedAt) return withoutHash(found);

  const revoked = await caller.db.apiKey.update({ where, data: { revokedAt: new Date() } });
  await caller.db.$executeRaw`SELECT pg_notify(${keysChannel}, ${Buffer.from(found.hash).toString("hex")})`;
  await recordAudit(caller, { action: "api_key.revoked", targetId: id, changes: { before: { name: found.name, hint: found.hint } } });
  return withoutHash(revoked);
}

function withoutHash<Row extends { hash: unknown }>({ hash: _hash, ...row }: Row): Omit<Row, "hash"> {
  return row;
}
