import pg from "pg";

// The application's own role reads and writes rows and owns nothing. It can add entries to the audit
// log, but cannot change or delete them, or drop the trigger. Migrations run as the owner, and so
// does the function that deletes the audit log of a tenant that was deleted with a receipt.

const maintainSince = 170_000;

/** They run as the owner (prisma/beyond-schema.sql), and nobody else may call them. */
const functionsOfOwner = [
  "create_partitions",
  "drop_expired_partitions",
  "delete_audit_entries",
  "write_search_words",
];

/**
 * Grants the role of `applicationUrl` the privileges that the application needs, and revokes the
 * others. Runs after migrations, because each may add tables.
 * @param password creates the role, as the embedded database does. Without it, the role must exist
 * @returns false if both addresses name the same role, which then owns the tables
 * @throws if the role could still alter the audit log; see `canAlterAuditLog`
 */
export async function grantApplicationRole(
  ownerUrl: string,
  applicationUrl: string,
  { password }: { password?: string } = {},
): Promise<boolean> {
  const name = decodeURIComponent(new URL(applicationUrl).username);
  if (name === "" || name === decodeURIComponent(new URL(ownerUrl).username)) return false;

  const client = new pg.Client({ connectionString: ownerUrl });
  client.on("error", () => {});
  await client.connect();
  try {
    const role = client.escapeIdentifier(name);
    const { rows } = await client.query<{ version: number; schema: string; exists: boolean }>(
      `SELECT current_setting('server_version_num')::int AS version, current_schema() AS schema,
         EXISTS (SELECT 1 FROM pg_roles WHERE rolname = $1) AS exists`,
      [name],
    );
    const { version = 0, schema: schemaName = "public", exists = false } = rows[0] ?? {};
    if (!exists && password === undefined)
      throw new Error(`The role "${name}" of DATABASE_URL does not exist. Create it with LOGIN.`);
    if (password !== undefined) {
      const attributes = `LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS PASSWORD ${client.escapeLiteral(password)}`;
      await client.query(`${exists ? "ALTER" : "CREATE"} ROLE ${role} ${attributes}`);
    }

    const schema = client.escapeIdentifier(schemaName);
    const appendOnly = `${schema}."audit_entries", ${schema}."deleted_tenants"`;
    const migrations = `${schema}."_prisma_migrations"`;
    // Before PostgreSQL 17, only a table's owner can ANALYZE it.
    const privileges = [
      "SELECT",
      "INSERT",
      "UPDATE",
      "DELETE",
      ...(version >= maintainSince ? ["MAINTAIN"] : []),
    ].join(", ");
    await client.query("BEGIN");
    await client.query(`GRANT USAGE ON SCHEMA ${schema} TO ${role}`);
    await client.query(`GRANT ${privileges} ON ALL TABLES IN SCHEMA ${schema} TO ${role}`);
    await client.query(`GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA ${schema} TO ${role}`);
    await client.query(
      `GRANT EXECUTE ON FUNCTION ${functionsOfOwner.map((name) => `${schema}.${name}`).join(", ")} TO ${role}`,
    );
    await client.query(`REVOKE CREATE ON SCHEMA ${schema} FROM ${role}`);
    await client.query(`REVOKE ALL ON ${appendOnly}, ${migrations} FROM ${role}`);
    await client.query(`GRANT SELECT, INSERT ON ${appendOnly} TO ${role}`);
    await client.query(`GRANT SELECT ON ${migrations} TO ${role}`);

    if (await canAlterAuditLog(client, name)) {
      throw new Error(
        `The role "${name}" of DATABASE_URL could alter the audit log. It must not be a superuser or a member of the owner, and it must not be able to create objects next to the tables. If every role can, run: REVOKE CREATE ON SCHEMA ${schema} FROM PUBLIC`,
      );
    }
    await client.query("COMMIT");
    return true;
  } finally {
    await client.end();
  }
}

type Queryable = {
  query: (text: string, values: unknown[]) => Promise<{ rows: { can: boolean }[] }>;
};

/**
 * Whether a role could change or remove entries of the audit log or receipts. With a function or operator of
 * its own in the schema, it could make the functions that run as the owner execute its code.
 */
export async function canAlterAuditLog(database: Queryable, role: string): Promise<boolean> {
  const { rows } = await database.query(
    `SELECT bool_or(pg_has_role($1, relowner, 'MEMBER') OR has_schema_privilege($1, relnamespace, 'CREATE')
       OR has_table_privilege($1, oid, 'UPDATE, DELETE, TRUNCATE, TRIGGER')) AS can
     FROM pg_class WHERE oid IN ('audit_entries'::regclass, 'deleted_tenants'::regclass)`,
    [role],
  );
  return rows[0]?.can ?? true;
}
