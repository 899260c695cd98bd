import { runSql } from "@/lib/platform/db";
import { logOf } from "@/lib/platform/log";
import { sql } from "@/lib/platform/sql";
import type { KnownKey } from "./key-cache";

const log = logOf("api");

const flushIntervalMs = 1_000;
/** The time at which a key was last used is written at most this often. */
const precisionMs = 60_000;

type Use = { tenantId: string; environment: KnownKey["environment"]; at: Date };

const writtenAt = new Map<string, number>();
const pending = new Map<string, Use>();
let timer: NodeJS.Timeout | undefined;

/** Records that a key was used, without a query: the times are written in batches, soon after. */
export function markKeyUsed({ id, tenantId, environment }: KnownKey): void {
  const now = Date.now();
  const sinceMs = now - (writtenAt.get(id) ?? 0);
  // It is negative once a clock that was ahead has been set back.
  if (sinceMs >= 0 && sinceMs < precisionMs) return;
  writtenAt.set(id, now);
  pending.set(id, { tenantId, environment, at: new Date(now) });
  if (!timer) timer = setTimeout(() => void flushKeyLastUsed(), flushIntervalMs).unref();
}

const writeLastUsedStatement = sql(
  "write_last_used",
  { tenantIds: "text[]", environments: "Environment[]", ids: "text[]", times: "timestamptz[]" },
  (p) => `
  UPDATE api_keys k SET last_used_at = u.at
  FROM unnest(${p.tenantIds}, ${p.environments}, ${p.ids}, ${p.times}) AS u (tenant_id, environment, id, at)
  WHERE k.tenant_id = u.tenant_id AND k.environment = u.environment AND k.id = u.id`,
);

/**
 * Writes what is pending. Also called on shutdown. A time that cannot be written is dropped,
 * because losing it does no harm.
 */
export async function flushKeyLastUsed(): Promise<void> {
  timer = undefined;
  if (writtenAt.size > 100_000) writtenAt.clear();
  const uses = [...pending];
  pending.clear();
  if (uses.length === 0) return;
  const column = <Value>(pick: (use: Use, id: string) => Value) =>
    uses.map(([id, use]) => pick(use, id));
  try {
    await runSql(
      writeLastUsedStatement({
        tenantIds: column(({ tenantId }) => tenantId),
        environments: column(({ environment }) => environment),
        ids: column((_use, id) => id),
        times: column(({ at }) => at),
      }),
    );
  } catch (error) {
    log.warn(
      { error: (error as Error).message },
      "the times at which keys were last used could not be written",
    );
  }
}
