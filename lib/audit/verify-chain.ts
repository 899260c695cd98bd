import type { Caller } from "@/lib/platform/caller";
import { type Db, runSql } from "@/lib/platform/db";
import { env } from "@/lib/platform/env";
import { log } from "@/lib/platform/log";
import { requireRole } from "@/lib/platform/roles";
import { sql } from "@/lib/platform/sql";
import { type Anchor, readAnchors, readNewestAnchors, receiptsLog, toHex } from "./anchors";
import { firstHash, hashEntry, keyIdOf } from "./hash-chain";
import { sealedReceipt } from "./receipts";

/** `anchored` is the last entry that is also recorded outside the database. */
export type ChainFinding = {
  entries: number;
  anchored: number;
  broken: { sequence: number; reason: string } | null;
};

const verifyBatch = 1_000;

/**
 * Reads the tenant's whole log and recomputes every hash. Reports the first entry that was altered,
 * removed or inserted, and a tail that was cut off after it was anchored outside the database.
 */
export async function verifyAuditChain(caller: Caller): Promise<ChainFinding> {
  requireRole(caller, "ADMIN", "check the audit log");
  return verifyChainOf(caller.db, caller.partition.tenantId);
}

/**
 * For operators, who name a tenant without acting in it.
 * @param anchorFile the file with the anchors; by default, this machine's own
 */
export async function verifyChainOf(
  db: Db,
  tenantId: string,
  anchorFile?: string,
): Promise<ChainFinding> {
  const anchors = await readAnchors(tenantId, anchorFile);
  return verifyEntries(anchors, (sequence) =>
    db.auditEntry.findMany({
      where: { tenantId, sequence: { gt: sequence } },
      orderBy: { sequence: "asc" },
      take: verifyBatch,
    }),
  );
}

/**
 * The same for the receipts of deleted tenants. Each must also name the last anchored entry of the
 * tenant's audit log, so no receipt can cover up that the log was cut off before.
 */
export async function verifyReceipts(db: Db, anchorFile?: string): Promise<ChainFinding> {
  const [anchors, newest] = await Promise.all([
    readAnchors(receiptsLog, anchorFile),
    readNewestAnchors(anchorFile),
  ]);
  return verifyEntries(
    anchors,
    async (sequence) => {
      const receipts = await db.deletedTenant.findMany({
        where: { sequence: { gt: sequence } },
        orderBy: { sequence: "asc" },
        take: verifyBatch,
      });
      return receipts.map(sealedReceipt);
    },
    ({ tenantId, auditEntries, auditHash }) => {
      const last = newest.get(tenantId);
      if (!last || last.sequence < auditEntries) return null;
      if (last.sequence === auditEntries && last.hash === auditHash) return null;
      return `it does not name the last entry of the audit log of ${tenantId}, which was anchored at ${last.at}`;
    },
  );
}

type Sealed = { sequence: number; keyId: string; hash: Uint8Array; previousHash: Uint8Array };

/** @param examine says what else is wrong with an entry */
async function verifyEntries<Entry extends Sealed>(
  anchors: Map<number, Anchor>,
  readAfter: (sequence: number) => Promise<Entry[]>,
  examine?: (entry: Entry) => string | null,
): Promise<ChainFinding> {
  const anchored = Math.max(0, ...anchors.keys());
  let previousHash = firstHash;
  let sequence = 0;
  const broken = (reason: string) => ({
    entries: sequence,
    anchored,
    broken: { sequence: sequence + 1, reason },
  });
  for (;;) {
    const entries = await readAfter(sequence);
    for (const entry of entries) {
      const { hash, previousHash: stated, ...content } = entry;
      const anchor = anchors.get(entry.sequence);
      if (entry.sequence !== sequence + 1) return broken("it is missing");
      if (!previousHash.equals(stated))
        return broken("it does not follow from the entry before it");
      const expected = hashEntry(previousHash, content);
      if (!expected)
        return broken(`it was sealed with the key ${entry.keyId}, which is not in AUDIT_KEYS`);
      if (!expected.equals(hash)) return broken("it was altered");
      if (anchor && anchor.hash !== toHex(hash))
        return broken(`it is not the entry that was anchored at ${anchor.at}`);
      const fault = examine?.(entry);
      if (fault) return broken(fault);
      previousHash = Buffer.from(hash);
      sequence = entry.sequence;
    }
    if (entries.length === verifyBatch) continue;
    if (anchored > sequence)
      return broken(
        `it was cut off: ${anchored} entries were anchored at ${anchors.get(anchored)?.at}`,
      );
    return { entries: sequence, anchored, broken: null };
  }
}

const sampledTenants = 1_000;

const headsStatement = sql(
  "audit_heads",
  {},
  () => `
    SELECT DISTINCT (SELECT key_id FROM audit_entries WHERE tenant_id = newest.id ORDER BY sequence DESC LIMIT 1) AS "keyId"
    FROM (SELECT id FROM tenants ORDER BY id DESC LIMIT ${sampledTenants}) newest`,
);

/** Ids of keys that sealed the latest entries of the newest tenants and are not in AUDIT_KEYS. */
export async function foreignAuditKeys(): Promise<string[]> {
  const heads = await runSql<{ keyId: string | null }>(headsStatement({}));
  const known = new Set(env().AUDIT_KEYS.map(keyIdOf));
  return heads.flatMap(({ keyId }) => (keyId && !known.has(keyId) ? [keyId] : []));
}

/**
 * Called at boot. New entries get a key of this process, so a log that another key started would
 * have two.
 */
export async function reportForeignAuditKeys(): Promise<void> {
  // A process must start even if the database is unreachable.
  const foreign = await foreignAuditKeys().catch(() => []);
  if (foreign.length === 0) return;
  log.error(
    { keys: foreign },
    "some audit log entries are sealed with keys that are not in AUDIT_KEYS and cannot be verified; append the missing keys to AUDIT_KEYS, or correct it if it belongs to another installation",
  );
}
