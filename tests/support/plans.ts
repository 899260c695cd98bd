import type { Client, Pool, PoolClient } from "pg";
import { deliveryPool, pool } from "@/lib/platform/db";

/**
 * What one statement did, as PostgreSQL's auto_explain reports it once it has run, with the very
 * plan that it ran with.
 */
export type Plan = {
  query: string;
  /** Rows of tables that were read, those that a filter dropped included. */
  rowsRead: number;
  /** Pages that were read or found in memory. */
  pages: number;
};

type Node = {
  "Node Type": string;
  "Actual Rows"?: number;
  "Actual Loops"?: number;
  "Rows Removed by Filter"?: number;
  "Rows Removed by Index Recheck"?: number;
  "Relation Name"?: string;
  Plans?: Node[];
  "Shared Hit Blocks"?: number;
  "Shared Read Blocks"?: number;
};

const seen: Plan[] = [];

/** Has this database explain every statement that runs on connections opened from now on. */
export async function explainEverything(): Promise<void> {
  const settings = {
    session_preload_libraries: "auto_explain",
    "auto_explain.log_min_duration": "0",
    "auto_explain.log_analyze": "on",
    "auto_explain.log_buffers": "on",
    "auto_explain.log_timing": "off",
    "auto_explain.log_nested_statements": "on",
    "auto_explain.log_format": "json",
    "auto_explain.log_level": "log",
    client_min_messages: "log",
  };
  const { rows } = await pool().query<{ name: string }>("SELECT current_database() AS name");
  for (const [name, value] of Object.entries(settings))
    await pool().query(`ALTER DATABASE "${rows[0]?.name}" SET ${name} = '${value}'`);
}

/**
 * Has this database plan as it does for large tables, on connections opened from now on: it looks up
 * one row after another in an index. It may read a table whole if that is as small as in a test.
 */
export async function planAsForLargeTables(connection: Pick<Client, "query">): Promise<void> {
  const { rows } = await connection.query("SELECT current_database() AS name");
  for (const plan of ["hashjoin", "mergejoin", "seqscan"])
    await connection.query(`ALTER DATABASE "${rows[0].name}" SET enable_${plan} = off`);
}

/** Collects the plans of all statements that `work` runs. */
export async function plansOf(
  work: () => Promise<unknown>,
  connections: Pool[] = [pool(), deliveryPool()],
): Promise<Plan[]> {
  connections.forEach(listen);
  seen.length = 0;
  await work();
  return [...seen];
}

const listening = new WeakSet<Pool>();

function listen(connections: Pool): void {
  if (listening.has(connections)) return;
  listening.add(connections);
  connections.on("connect", (client: PoolClient) => client.on("notice", note));
}

function note(notice: { message?: string | undefined }): void {
  const start = notice.message?.indexOf("{") ?? -1;
  if (start < 0 || !notice.message?.startsWith("duration:")) return;
  const explained = JSON.parse(notice.message.slice(start)) as { "Query Text": string; Plan: Node };
  const { Plan: root } = explained;
  const pages = (root["Shared Hit Blocks"] ?? 0) + (root["Shared Read Blocks"] ?? 0);
  seen.push({ query: explained["Query Text"].trim(), rowsRead: rowsRead(root), pages });
}

function rowsRead(node: Node): number {
  const own = node["Relation Name"] && node["Node Type"].includes("Scan") ? rowsOf(node) : 0;
  return own + (node.Plans ?? []).reduce((sum, child) => sum + rowsRead(child), 0);
}

const rowsOf = (node: Node): number =>
  (node["Actual Loops"] ?? 1) *
  ((node["Actual Rows"] ?? 0) +
    (node["Rows Removed by Filter"] ?? 0) +
    (node["Rows Removed by Index Recheck"] ?? 0));
