import { queueMailToAdmins } from "@/lib/mail/service";
import type { Caller } from "@/lib/platform/caller";
import { runSql } from "@/lib/platform/db";
import { AppError, invalidBody, limitReached } from "@/lib/platform/errors";
import { sql } from "@/lib/platform/sql";
import { newId } from "@/lib/resources/ids";
import { lockKind, lockRow } from "@/lib/resources/lock-row";
import { notFound } from "@/lib/resources/not-found";
import { rateLimitOfPlan } from "@/lib/tenants/service";
import type { ApiKeyModel } from "@/prisma/generated/models";
import { keysChannel } from "./key-cache";
import { generateKey } from "./key-format";
import type { CreateApiKey } from "./schema";
import { apiKeyStatus } from "./status";

// Reads, checks and writes the row of a key, for service.ts.

/** The maximum number of keys in an environment that are neither revoked nor expired. */
const maximumApiKeys = 100;

export async function insertApiKey(
  caller: Caller,
  input: CreateApiKey & Pick<ApiKeyModel, "isCappedByPlan">,
) {
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
      isCappedByPlan: input.isCappedByPlan,
    },
  });
  if (apiKey.environment === "live") await announceLiveKey(caller, apiKey);
  return { apiKey, key };
}

async function announceLiveKey(
  { db, actor, partition }: Caller,
  { name, hint }: ApiKeyModel,
): Promise<void> {
  const person =
    actor.type === "USER"
      ? await db.user.findUnique({ where: { id: actor.id }, select: { name: true } })
      : null;
  const created = {
    environment: partition.environment,
    keyName: name,
    keyHint: hint,
    createdBy: person?.name ?? "An operator",
  };
  await queueMailToAdmins(db, partition.tenantId, { kind: "live-key-created", ...created });
}

export async function requireRoomForKey(caller: Caller, remedy: string): Promise<void> {
  await lockKind(caller, "api_keys");
  const isValid = { revokedAt: null, OR: [{ expiresAt: null }, { expiresAt: { gt: new Date() } }] };
  const current = await caller.db.apiKey.count({ where: { ...caller.partition, ...isValid } });
  if (current < maximumApiKeys) return;
  throw limitReached(`An environment has at most ${maximumApiKeys} valid API keys. ${remedy}`, {
    limit: maximumApiKeys,
    current,
  });
}

export async function requireApiKey({ db, partition }: Caller, id: string): Promise<ApiKeyModel> {
  const found = await db.apiKey.findUnique({
    where: { tenantId_environment_id: { ...partition, id } },
  });
  if (!found) throw notFound("apiKey", id);
  return found;
}

export async function lockLivingKey(
  caller: Caller,
  id: string,
  what: string,
): Promise<ApiKeyModel> {
  await lockRow(caller, "api_keys", id);
  const found = await requireApiKey(caller, id);
  const status = apiKeyStatus(found, new Date());
  if (status === "suspended") {
    throw new AppError(
      "invalid-transition",
      `This key is suspended. Confirm it under Settings, Access review, before it can be ${what}.`,
    );
  }
  if (status === "revoked" || status === "expired") {
    throw new AppError(
      "invalid-transition",
      `This key is ${status}, so it can no longer be ${what}.`,
    );
  }
  return found;
}

const notifyStatement = sql(
  "notify_of_keys",
  { hashes: "text[]" },
  (p) =>
    `SELECT 1 FROM unnest(${p.hashes}) AS hash CROSS JOIN LATERAL pg_notify('${keysChannel}', hash)`,
);

/** Every process drops the keys from its cache when the transaction commits. */
export async function forgetKeys(
  caller: Pick<Caller, "db">,
  keys: Pick<ApiKeyModel, "hash">[],
): Promise<void> {
  const hashes = keys.map(({ hash }) => Buffer.from(hash).toString("hex"));
  await runSql(notifyStatement({ hashes }), caller);
}

/** The same for one key. */
export async function forgetKey(
  caller: Pick<Caller, "db">,
  key: Pick<ApiKeyModel, "hash">,
): Promise<void> {
  await forgetKeys(caller, [key]);
}

/** A limit that this caller chooses never exceeds the plan's. */
export const isCappedByPlan = ({ actor }: Caller): boolean => actor.type === "USER";

/** Users can set any limit up to their plan's. Only an operator can exceed it. */
export async function requireRateLimit(
  caller: Caller,
  wanted: number | null | undefined,
): Promise<void> {
  if (!isCappedByPlan(caller) || !wanted) return;
  const limit = await rateLimitOfPlan(caller);
  if (wanted > limit)
    throw invalidBody(
      "/rateLimitPerMinute",
      "too_big",
      `must be at most ${limit.toLocaleString("en")}, the limit of your plan`,
    );
}

export const settingsOf = ({ name, scopes, allowedIps, rateLimitPerMinute }: ApiKeyModel) => ({
  name,
  scopes: scopes as CreateApiKey["scopes"],
  allowedIps,
  rateLimitPerMinute,
});

export const auditedSettings = (row: ApiKeyModel) => ({
  ...settingsOf(row),
  hint: row.hint,
  expiresAt: row.expiresAt?.toISOString() ?? null,
});

export function withoutHash<Row extends { hash: unknown }>({
  hash: _hash,
  ...row
}: Row): Omit<Row, "hash"> {
  return row;
}
