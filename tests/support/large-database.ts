import pg from "pg";

// Rows by the hundred thousand, written by PostgreSQL itself, in the shapes that mislead a planner:
// nearly all of one tenant, in one status, on one channel; and far more of them expired than one
// batch deletes.

export const large = {
  tenantId: "ten_large",
  halfTenantId: "ten_half",
  environment: "test",
  webhookId: "whk_large",
  quietWebhookId: "whk_quiet",
  knowledgeBaseId: "kb_large",
};

const partition = `'${large.tenantId}', 'test'::"Environment"`;

/** The 26 characters of an id of that time. */
const ulid = `${[45, 40, 35, 30, 25, 20, 15, 10, 5, 0].map((bits) => `substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', (((extract(epoch FROM at) * 1000)::bigint >> ${bits}) & 31)::int + 1, 1)`).join(" || ")}
  || lpad(i::text, 16, '0')`;

const statements = (tables: string[]) => [
  // Spread over the last 60 days. Computing the ids takes longer than writing most of the tables.
  `CREATE TEMPORARY TABLE large_rows ON COMMIT DROP AS
     SELECT i, at, ${ulid} AS ulid
     FROM (SELECT i, now() - make_interval(secs => 60.0 * 86400 * ($1::int - i) / $1::int) AS at FROM generate_series(1, $1::int) i) n`,
  ...tables.map((table) => `ALTER TABLE ${table} SET (autovacuum_enabled = false)`),
  "SET session_replication_role = replica",
  `INSERT INTO tenants (id, slug, name, created_at, counted_until) VALUES ('${large.tenantId}', 'large', 'Large', now() - interval '90 days', now()::date)`,
  `INSERT INTO customers (tenant_id, environment, id, external_id, name, email, phone, metadata, search_words, created_at, updated_at)
     SELECT ${partition}, 'cus_' || ulid, 'external-' || i, 'Customer ' || i, 'customer-' || i || '@example.com', '+49' || (10000000 + i),
       jsonb_build_object('plan', CASE WHEN i % ($1::int / 10) = 10 THEN 'rare' ELSE 'common' END), ARRAY['customer', i::text], at, at FROM large_rows`,
  // A conversation in a hundred is not OPEN, and ten of all are SNOOZED; every third has tags, a
  // few a rare one. A few are assigned, half of those to one member.
  `INSERT INTO conversations (tenant_id, environment, id, status, channel_id, customer_id, agent_id, assignee_id, external_id, metadata, tags, message_count, snoozed_until, created_at, updated_at)
     SELECT ${partition}, 'cnv_' || ulid,
       (CASE WHEN i % ($1::int / 10) = 7 THEN 'SNOOZED' WHEN i % 200 = 1 THEN 'PENDING' WHEN i % 200 = 2 THEN 'RESOLVED' ELSE 'OPEN' END)::"ConversationStatus",
       CASE WHEN i % ($1::int / 10) = 8 THEN 'rare' ELSE 'web' END, 'cus_' || ulid,
       CASE WHEN i % ($1::int / 10) = 9 THEN 'agt_rare' WHEN i % 2 = 0 THEN 'agt_common' END,
       CASE WHEN i % ($1::int / 10) = 9 THEN 'usr_rare' WHEN i % 2 = 0 THEN 'usr_common' END, 'order-' || i,
       jsonb_build_object('plan', CASE WHEN i % ($1::int / 10) = 10 THEN 'rare' ELSE 'common' END, 'number', i),
       CASE WHEN i % ($1::int / 10) = 10 THEN ARRAY['rare', 'common'] WHEN i % 3 = 0 THEN ARRAY['common', 'tag-' || i % 50] ELSE '{}' END,
       1, CASE WHEN i % ($1::int / 10) = 7 THEN now() + interval '1 day' END, at, at
     FROM large_rows`,
  `INSERT INTO conversation_tags (tenant_id, environment, tag, conversation_id)
     SELECT tenant_id, environment, unnest(tags), id FROM conversations WHERE tags <> '{}'`,
  `INSERT INTO conversation_metadata (tenant_id, environment, key, value, conversation_id)
     SELECT tenant_id, environment, key, value, id FROM conversations, jsonb_each_text(metadata)`,
  `INSERT INTO customer_metadata (tenant_id, environment, key, value, customer_id)
     SELECT tenant_id, environment, key, value, id FROM customers, jsonb_each_text(metadata)`,
  `INSERT INTO messages (tenant_id, environment, id, conversation_id, sequence, direction, author_type, text, created_at)
     SELECT ${partition}, 'msg_' || ulid, 'cnv_' || ulid, 1, 'INBOUND', 'CUSTOMER', 'Hello', at
     FROM large_rows`,
  // Every other message has a file, and there are as many that no message has.
  `INSERT INTO files (tenant_id, environment, id, name, content_type, size_bytes, sha256, blob_key, message_id, created_at)
     SELECT ${partition}, 'fil_' || ulid, 'a.txt', 'text/plain', 1, sha256(i::text::bytea), 'file-' || i, CASE WHEN i % 2 = 0 THEN 'msg_' || ulid END, at
     FROM large_rows`,
  `INSERT INTO file_totals (tenant_id, environment, size_bytes) VALUES (${partition}, $1::int)`,
  `INSERT INTO storage_days (tenant_id, environment, day, files, size_bytes)
     SELECT tenant_id, environment, (created_at AT TIME ZONE 'UTC')::date AS day, count(*), sum(size_bytes) FROM files GROUP BY 1, 2, 3`,
  `INSERT INTO webhooks (tenant_id, environment, id, url, events, created_at, updated_at)
     SELECT ${partition}, id, 'http://127.0.0.1:9/', ARRAY['*'], now(), now() FROM unnest(ARRAY['${large.webhookId}', '${large.quietWebhookId}']) id`,
  // Half of the events and of what belongs to them are expired. Their transactions are older than
  // any that runs.
  `INSERT INTO events (tenant_id, environment, id, type, payload, created_at, expires_at, xact)
     SELECT ${partition}, 'evt_' || ulid, CASE WHEN i % ($1::int / 10) = 7 THEN 'webhook.disabled' ELSE 'message.received' END,
       '{"id":"evt_' || ulid || '"}', at, at + interval '30 days', (3 + i::bigint * 500 / $1::int)::text::xid8
     FROM large_rows`,
  `INSERT INTO deliveries (tenant_id, environment, id, webhook_id, event_id, event_type, status, next_attempt_at, attempt_count, automatic_count, response_class, created_at, updated_at)
     SELECT ${partition}, 'dlv_' || ulid, CASE WHEN i % ($1::int / 10) = 8 THEN '${large.quietWebhookId}' ELSE '${large.webhookId}' END, 'evt_' || ulid,
       CASE WHEN i % ($1::int / 10) = 7 THEN 'webhook.disabled' ELSE 'message.received' END,
       (CASE WHEN i % ($1::int / 10) = 9 THEN 'PENDING' WHEN i % ($1::int / 10) = 10 THEN 'FAILED' ELSE 'DELIVERED' END)::"DeliveryStatus",
       CASE WHEN i % ($1::int / 10) = 9 THEN now() + interval '1 hour' END, 1, 1, 2, at, at
     FROM large_rows`,
  `INSERT INTO delivery_attempts (tenant_id, environment, delivery_id, number, started_at, duration_ms, status_code)
     SELECT ${partition}, 'dlv_' || ulid, 1, at, 5, 200 FROM large_rows`,
  `INSERT INTO idempotency_records (tenant_id, environment, key, fingerprint, status, body, created_at, expires_at)
     SELECT ${partition}, 'key-' || i, '\\x00', 201, '{}', at, at + interval '1 day' FROM large_rows`,
  `INSERT INTO request_logs (tenant_id, environment, id, api_key_id, method, path, status, duration_ms, created_at)
     SELECT ${partition}, 'req_' || ulid, 'key_1', 'GET', '/v1/public/customers', 200, 1, at FROM large_rows`,
  `INSERT INTO purged_events (tenant_id, environment, id, xact, purged_at)
     SELECT ${partition}, 'evt_gone_' || i, '3', at FROM large_rows`,
  `INSERT INTO knowledge_bases (tenant_id, environment, id, name, created_at, updated_at) VALUES (${partition}, '${large.knowledgeBaseId}', 'Large', now(), now())`,
  `INSERT INTO documents (tenant_id, environment, id, knowledge_base_id, name, content_type, size_bytes, sha256, blob_key, status, created_at, updated_at)
     SELECT ${partition}, 'doc_' || ulid, '${large.knowledgeBaseId}', 'Document', 'text/plain', 1, sha256(i::text::bytea), 'blob-' || i,
       (CASE WHEN i % ($1::int / 10) = 7 THEN 'FAILED' ELSE 'READY' END)::"DocumentStatus", at, at FROM large_rows`,
  // What jobs work off: files without an owner, a disabled webhook's deliveries to hold, a deleted one's
  // to delete, a backlog to recover.
  `INSERT INTO stray_blobs (tenant_id, environment, key, remove_after)
     SELECT ${partition}, 'stray_' || i, at FROM large_rows`,
  `INSERT INTO webhooks (tenant_id, environment, id, url, events, status, deleted_at, created_at, updated_at) VALUES
     (${partition}, 'whk_disabled', 'http://127.0.0.1:9/', ARRAY['*'], 'DISABLED', NULL, now(), now()),
     (${partition}, 'whk_deleted', 'http://127.0.0.1:9/', ARRAY['*'], 'DISABLED', now() - interval '1 hour', now(), now())`,
  `UPDATE deliveries SET webhook_id = CASE WHEN status = 'PENDING' OR right(id, 1) = '3' THEN 'whk_disabled' ELSE 'whk_deleted' END,
     status = CASE WHEN right(id, 1) = '3' THEN 'PENDING' ELSE status END, next_attempt_at = CASE WHEN right(id, 1) = '3' THEN now() END
     WHERE tenant_id = '${large.tenantId}' AND right(id, 1) IN ('3', '4')`,
  `INSERT INTO backlog_tasks (tenant_id, environment, id, webhook_id, action, after_id, before_id, next_due_at, created_at) VALUES
     (${partition}, 'btk_1', '${large.webhookId}', 'RECOVER', 'dlv_0', 'dlv_Z', now(), now()), (${partition}, 'btk_2', 'whk_deleted', 'DELETE', '', '', now(), now())`,
  `INSERT INTO mails (id, kind, recipient, status, created_at, sent_at)
     SELECT 'mail_' || ulid, 'password-reset', 'a@example.com', 'SENT', at, at FROM large_rows`,
  `INSERT INTO sessions (id, user_id, created_at, expires_at)
     SELECT 'ses_' || ulid, 'usr_1', at, at FROM large_rows`,
  "SET session_replication_role = DEFAULT",
];

/**
 * Gives a second tenant every other conversation of the first, so that statistics of the table are
 * those of neither.
 */
export async function addHalfTenant(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query("SET session_replication_role = replica");
    await client.query(
      `INSERT INTO tenants (id, slug, name, created_at, counted_until) VALUES ('${large.halfTenantId}', 'half', 'Half', now() - interval '90 days', now()::date)`,
    );
    for (const [table, id] of [
      ["conversations", "id"],
      ["conversation_tags", "conversation_id"],
      ["conversation_metadata", "conversation_id"],
    ]) {
      const { rows } = await client.query<{ columns: string }>(
        `SELECT string_agg(quote_ident(column_name), ', ') AS columns FROM information_schema.columns
         WHERE table_schema = current_schema() AND table_name = '${table}' AND column_name <> 'tenant_id' AND is_generated = 'NEVER'`,
      );
      const columns = rows[0]?.columns;
      await client.query(
        `INSERT INTO ${table} (tenant_id, ${columns}) SELECT '${large.halfTenantId}', ${columns} FROM ${table}
         WHERE tenant_id = '${large.tenantId}' AND right(${id}, 1) IN ('0', '2', '4', '6', '8')`,
      );
    }
  } finally {
    await client.end();
  }
}

/**
 * Analyzes all tables, on a connection without the product's limit of time for a statement. The
 * statistics know a single channel, as they do when a sample missed the rare ones.
 */
export async function analyze(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client
    .query("ALTER TABLE conversations ALTER COLUMN channel_id SET (n_distinct = 1); ANALYZE")
    .finally(() => client.end());
}

/** Fills each large table with that many rows, without analyzing them; the test decides when. */
export async function fillLargeDatabase(databaseUrl: string, rows: number): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    // Older rows are in the default partitions.
    await client.query("SELECT create_partitions(now() - interval '40 days', now())");
    const { rows: tables } = await client.query<{ name: string }>(
      "SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace AND relname NOT LIKE '\\_%'",
    );
    // One transaction, so that all of them have the same time, and with it the same ids.
    await client.query("BEGIN");
    for (const statement of statements(tables.map(({ name }) => name)))
      await client.query(statement.replaceAll("$1::int", String(rows)));
    await client.query("COMMIT");
  } finally {
    await client.end();
  }
}
