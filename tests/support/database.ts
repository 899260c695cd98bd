import { randomBytes } from "node:crypto";
import pg from "pg";
import { inject } from "vitest";

/** Runs one statement outside of any test's database. */
export async function onMaintenanceDatabase(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: inject("postgres").url });
  await client.connect();
  await client.query(statement).finally(() => client.end());
}

/**
 * Makes a database of its own, a copy of the migrated one or an empty one.
 * @returns its address.
 */
export async function newDatabase({ isEmpty = false } = {}): Promise<string> {
  const { url, template } = inject("postgres");
  const name = `test_${randomBytes(8).toString("hex")}`;
  await onMaintenanceDatabase(
    `CREATE DATABASE ${name} TEMPLATE ${isEmpty ? "template0" : template}`,
  );
  const address = new URL(url);
  address.pathname = `/${name}`;
  return address.href;
}
