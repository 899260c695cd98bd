import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { pool } from "@/lib/platform/db";
import { env } from "@/lib/platform/env";

/**
 * Where these lowercase texts are: every column of every table that can contain a text, and every
 * stored file.
 */
export async function placesWith(texts: string[]): Promise<string[]> {
  const { rows: columns } = await pool().query<{ table: string; column: string; type: string }>(`
    SELECT c.table_name AS table, c.column_name AS column, c.data_type AS type FROM information_schema.columns c
    JOIN pg_class t ON t.oid = quote_ident(c.table_name)::regclass AND t.relkind IN ('r', 'p') AND NOT t.relispartition
    WHERE c.table_schema = 'public' AND c.data_type IN ('text', 'json', 'jsonb', 'bytea', 'ARRAY', 'tsvector', 'character varying')`);
  const found: string[] = [];
  for (const { table, column, type } of columns) {
    const text = type === "bytea" ? `encode("${column}", 'escape')` : `"${column}"::text`;
    const { rows } = await pool().query<{ value: string }>(
      `SELECT ${text} AS value FROM "${table}" WHERE lower(${text}) LIKE ANY ($1)`,
      [texts.map((each) => `%${each}%`)],
    );
    found.push(...rows.map(({ value }) => `${table}.${column}: ${value.slice(0, 300)}`));
  }
  const files = path.join(env().BLOB_DIRECTORY, "kept");
  for (const file of listFiles(files)) {
    const content = readFileSync(file, "latin1").toLowerCase();
    if (texts.some((each) => content.includes(each))) found.push(file);
  }
  return found;
}

/** The files in a directory and those below it. */
export function listFiles(directory: string): string[] {
  try {
    return readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath, entry.name));
  } catch {
    return [];
  }
}
