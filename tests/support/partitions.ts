import { pool } from "@/lib/platform/db";

/** From then on, rows are in the default partitions, whatever their time, and purged one by one. */
export async function dropAllWeeks(): Promise<void> {
  const drop = "SELECT drop_expired_partitions('2100-01-01') AS dropped";
  while ((await pool().query<{ dropped: number }>(drop)).rows[0]?.dropped);
}
