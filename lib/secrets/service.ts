import { pool } from "@/lib/db";
import { env } from "@/lib/env";
import { mailContext, openSecret, sealSecret, storedAnswerContext, webhookSecretContext } from "@/lib/webhooks/secret-box";
import type { Environment } from "@/prisma/generated/enums";
import { countByMasterKeySql, replaceSealedSql, type SealedKind, sealedColumns, selectOutdatedSql } from "./service.sql";

const batchSize = 200;
/** More than that of a kind are not counted for a look at how things are. */
const maximumCounted = 100_000;

const kinds = Object.keys(sealedColumns) as SealedKind[];

type SealedRow = { tenant_id: string; environment: Environment; webhook_id: string; key: string; id: string; sealed: string };

const contextOf: Record<SealedKind, (row: SealedRow) => string> = {
  webhookSecrets: (row) => webhookSecretContext({ tenantId: row.tenant_id, environment: row.environment }, row.webhook_id),
  storedAnswers: (row) => storedAnswerContext({ tenantId: row.tenant_id, environment: row.environment }, row.key),
  waitingMails: (row) => mailContext(row.id),
};

export type MasterKeyUse = Record<SealedKind, Record<string, number>>;

/** How much of what is kept sealed needs which master key: `{ webhookSecrets: { k1: 12 }, storedAnswers: {}, waitingMails: {} }`. */
export async function countByMasterKey(): Promise<MasterKeyUse> {
  const counted = kinds.map(async (kind) => {
    const { rows } = await pool().query<{ key_id: string; count: number }>(countByMasterKeySql(kind), [maximumCounted]);
    return [kind, Object.fromEntries(rows.map(({ key_id, count }) => [key_id, count]))] as const;
  });
  return Object.fromEntries(await Promise.all(counted)) as MasterKeyUse;
}

export type Reencryption = { reencrypted: number; unopened: Record<string, number> };

/**
 * Seals with the first master key all that is sealed with another. Each batch is a statement of its own, and a row that
 * was changed meanwhile keeps its change, so this may run beside everything else, be broken off, and be run again.
 * @returns for each kind how many rows were sealed anew, and by key id how many could not be opened
 */
export async function reencryptSecrets(): Promise<Record<SealedKind, Reencryption>> {
  const result = {} as Record<SealedKind, Reencryption>;
  for (const kind of kinds) result[kind] = await reencrypt(kind);
  return result;
}

async function reencrypt(kind: SealedKind): Promise<Reencryption> {
  const currentKeyId = env().SECRET_KEYS[0]?.id;
  const names = Object.keys(sealedColumns[kind].key) as (keyof SealedRow)[];
  const result: Reencryption = { reencrypted: 0, unopened: {} };
  let after: readonly unknown[] = sealedColumns[kind].beforeFirst;
  for (;;) {
    const { rows } = await pool().query<SealedRow>(selectOutdatedSql(kind), [currentKeyId, batchSize, ...after]);
    const last = rows.at(-1);
    if (!last) return result;

    const opened = rows.flatMap((row) => {
      const fresh = sealAnew(row.sealed, contextOf[kind](row));
      if (fresh) return [{ row, fresh }];
      const keyId = row.sealed.split(".", 1)[0] ?? "";
      result.unopened[keyId] = (result.unopened[keyId] ?? 0) + 1;
      return [];
    });
    const keys = names.map((name) => opened.map(({ row }) => String(row[name])));
    const values = [opened.map(({ fresh }) => fresh), opened.map(({ row }) => row.sealed), ...keys];
    const { rowCount } = await pool().query(replaceSealedSql(kind), values);
    result.reencrypted += rowCount ?? 0;
    after = names.map((name) => last[name]);
  }
}

/** Null where the master key is missing, or the text was altered: then it stays as it is. */
function sealAnew(sealed: string, context: string): string | null {
  try {
    return sealSecret(openSecret(sealed, context), context);
  } catch {
    return null;
  }
}
