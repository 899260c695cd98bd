import { runSql } from "@/lib/platform/db";
import { env } from "@/lib/platform/env";
import { log } from "@/lib/platform/log";
import {
  alertTargetContext,
  authenticatorContext,
  mailContext,
  openSecret,
  sealSecret,
  storedResponseContext,
  webhookHeadersContext,
  webhookSecretContext,
} from "@/lib/platform/secret-box";
import type { Environment } from "@/prisma/generated/enums";
import {
  countByMasterKeyQuery,
  type RowKey,
  replaceSealedQuery,
  type SealedKind,
  sealedColumns,
  selectOutdatedQuery,
  selectSampleQuery,
} from "./service.sql";

const batchSize = 200;
/** Enough to detect a wrong key. */
const sampleSize = 100;

const kinds = Object.keys(sealedColumns) as SealedKind[];

type SealedRow = {
  tenant_id: string;
  environment: Environment;
  webhook_id: string;
  key: string;
  id: string;
  user_id: string;
  sealed: string;
};

const contextOf: Record<SealedKind, (row: SealedRow) => string> = {
  webhookSecrets: (row) =>
    webhookSecretContext({ tenantId: row.tenant_id, environment: row.environment }, row.webhook_id),
  webhookHeaders: (row) =>
    webhookHeadersContext({ tenantId: row.tenant_id, environment: row.environment }, row.id),
  storedResponses: (row) =>
    storedResponseContext({ tenantId: row.tenant_id, environment: row.environment }, row.key),
  waitingMails: (row) => mailContext(row.id),
  authenticatorApps: (row) => authenticatorContext(row.user_id),
  alertTargets: (row) => alertTargetContext(row.tenant_id),
};

export type MasterKeyUse = Record<SealedKind, Record<string, number>>;

/**
 * Counts sealed values by the master key they need: `{ webhookSecrets: { "k1-0f3a…": 12 },
 * webhookHeaders: {}, storedResponses: {}, waitingMails: {}, authenticatorApps: {}, alertTargets: {} }`.
 */
export async function countByMasterKey(maximumCounted = 100_000): Promise<MasterKeyUse> {
  const counted = kinds.map(async (kind) => {
    const rows = await runSql<{ key_id: string; count: number }>(
      countByMasterKeyQuery(kind, maximumCounted),
    );
    return [kind, Object.fromEntries(rows.map(({ key_id, count }) => [key_id, count]))] as const;
  });
  return Object.fromEntries(await Promise.all(counted)) as MasterKeyUse;
}

/**
 * Called at boot. A process with different keys would encrypt values that the others cannot
 * decrypt, and would not send deliveries.
 * @throws if there are sealed values and SECRET_KEYS has the key of none of them
 */
export async function requireUsableKeys(): Promise<void> {
  const { SECRET_KEYS, ACCEPT_LOST_SECRET_KEYS } = env();
  if (ACCEPT_LOST_SECRET_KEYS) return;
  const use = await countByMasterKey(sampleSize).catch((error: Error) => {
    // A process must start even if the database is unreachable.
    log.warn({ error: error.message }, "stored secrets could not be checked against SECRET_KEYS");
    return {};
  });
  const inUse = [...new Set(Object.values(use).flatMap((counts) => Object.keys(counts)))];
  if (inUse.length === 0 || SECRET_KEYS.some(({ id }) => inUse.includes(id))) return;
  throw new Error(
    `SECRET_KEYS cannot decrypt the secrets in this database. They are encrypted with ${inUse.join(", ")}, and SECRET_KEYS has ${SECRET_KEYS.map(({ id }) => id).join(", ")} (the part after the hyphen is a fingerprint of the key). Set SECRET_KEYS to the earlier key. If you never set it, the key is in secrets.json of the earlier DATA_DIR. If that key is lost for good, set ACCEPT_LOST_SECRET_KEYS=true and rotate the secret of each webhook.`,
  );
}

/**
 * Opens the newest values of each kind. @returns for each kind, how many were tried and how many
 * did not open although their key is known
 */
export async function openSamples(): Promise<
  Record<SealedKind, { sampled: number; unopened: number }>
> {
  const keyIds = env().SECRET_KEYS.map(({ id }) => id);
  const samples = kinds.map(async (kind) => {
    const rows = await runSql<SealedRow>(selectSampleQuery(kind, sampleSize));
    const known = rows.filter(({ sealed }) => keyIds.includes(sealed.split(".", 1)[0] ?? ""));
    const unopened = known.filter(
      (row) => reseal(row.sealed, contextOf[kind](row)) === null,
    ).length;
    return [kind, { sampled: known.length, unopened }] as const;
  });
  return Object.fromEntries(await Promise.all(samples)) as Record<
    SealedKind,
    { sampled: number; unopened: number }
  >;
}

export type Reencryption = { reencrypted: number; unopened: Record<string, number> };

/**
 * Encrypts with the first master key everything that is encrypted with another one. Each batch is a
 * separate statement, and a row that changed meanwhile keeps its change, so this can run next to
 * everything else, be interrupted, and run again.
 * @returns for each kind, how many rows were resealed, and how many could not be opened, by key id
 */
export async function reencryptSecrets(): Promise<Record<SealedKind, Reencryption>> {
  const result = {} as Record<SealedKind, Reencryption>;
  for (const kind of kinds) result[kind] = await reencrypt(kind);
  return result;
}

async function reencrypt(kind: SealedKind): Promise<Reencryption> {
  const currentKeyId = env().SECRET_KEYS[0]?.id ?? "";
  const names = Object.keys(sealedColumns[kind].key) as (keyof SealedRow)[];
  const result: Reencryption = { reencrypted: 0, unopened: {} };
  let after: RowKey = sealedColumns[kind].beforeFirst;
  for (;;) {
    const rows = await runSql<SealedRow>(
      selectOutdatedQuery(kind, { currentKeyId, after, limit: batchSize }),
    );
    const last = rows.at(-1);
    if (!last) return result;

    const opened = rows.flatMap((row) => {
      const fresh = reseal(row.sealed, contextOf[kind](row));
      if (fresh) return [{ key: names.map((name) => row[name]), outdated: row.sealed, fresh }];
      const keyId = row.sealed.split(".", 1)[0] ?? "";
      result.unopened[keyId] = (result.unopened[keyId] ?? 0) + 1;
      return [];
    });
    result.reencrypted += (await runSql(replaceSealedQuery(kind, opened))).length;
    after = names.map((name) => last[name]);
  }
}

/** Null if the master key is missing or the text was altered. Such a value stays unchanged. */
function reseal(sealed: string, context: string): string | null {
  try {
    return sealSecret(openSecret(sealed, context), context);
  } catch {
    return null;
  }
}
