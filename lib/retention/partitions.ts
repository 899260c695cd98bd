import { runSql } from "@/lib/platform/db";
import { sql, timeOf } from "@/lib/platform/sql";

// Events, deliveries, attempts and request logs are in one partition per week
// (prisma/beyond-schema.sql). Functions in the database create and drop them as the owner of the
// tables.

const createPartitionsStatement = sql(
  null,
  { now: "clock" },
  (p) =>
    `SELECT create_partitions(${timeOf(p.now)}, ${timeOf(p.now)} + interval '7 days') AS created`,
);

/**
 * Creates the partitions of the current week and the next one. Without them, rows go to the default
 * partition, where they are deleted in batches.
 * @returns the number of new weeks
 */
export async function createPartitions(): Promise<number> {
  const [row] = await runSql<{ created: number }>(createPartitionsStatement({}));
  return row?.created ?? 0;
}

/** Returns a row for each week that it dropped, at most one of each kind, or prepared to drop. */
export const dropPartitionsStatement = sql(
  null,
  { now: "clock" },
  (p) => `SELECT 1 FROM generate_series(1, drop_expired_partitions(${timeOf(p.now)}))`,
);

const hasPartitionStatement = sql(
  null,
  { at: "timestamptz" },
  (p) =>
    `SELECT to_regclass(partition_of('events', date_trunc('week', ${p.at}, 'UTC'))) IS NOT NULL AS has`,
);

export async function hasPartitionFor(at: Date): Promise<boolean> {
  const [row] = await runSql<{ has: boolean }>(hasPartitionStatement({ at }));
  return row?.has ?? false;
}
