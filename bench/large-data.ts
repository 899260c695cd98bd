import pg from "pg";

// Millions of rows, written by PostgreSQL itself: half of them belong to one tenant, the others to
// 100 tenants, spread over the last 60 days. Half of what has a retention period is therefore
// expired.

const connections = 4;

/** Of all rows: a tenant with half of them, and one with half a percent. */
export const tenants = { large: "ten_0", small: "ten_1" };

/**
 * The columns i (the number of the row), n (a number that has nothing to do with it), tenant, at,
 * and id (26 characters of that time).
 */
const numbered = (rows: number) => {
  const digits = [45, 40, 35, 30, 25, 20, 15, 10, 5, 0];
  const digit = (bits: number) =>
    `substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', ((ms >> ${bits}) & 31)::int + 1, 1)`;
  return `
    CREATE UNLOGGED TABLE numbered AS
    SELECT i, i * 48271::bigint % 2147483647 AS n, CASE WHEN i % 2 = 0 THEN '${tenants.large}' ELSE 'ten_' || 1 + i / 2 % 100 END AS tenant, at,
      ${digits.map(digit).join(" || ")} || lpad(i::text, 16, '0') AS id
    FROM (SELECT i, at, (extract(epoch FROM at) * 1000)::bigint AS ms
      FROM (SELECT i, now() - make_interval(secs => 60.0 * 86400 * (${rows} - i) / ${rows}) AS at FROM generate_series(1, ${rows}) i) AS times OFFSET 0) AS times`;
};

/**
 * Of each tenant's conversations one in 200 is PENDING or RESOLVED, a third has the tag `common`,
 * and one in ten changed up to 20 days after it began. About a dozen of all have the values that
 * are called rare here.
 */
const listed = (rows: number) => {
  const isRare = (rest: number) => `n % ${Math.ceil(rows / 24)} = ${rest}`;
  return {
    customers: `
      INSERT INTO customers (tenant_id, environment, id, external_id, name, email, phone, created_at, updated_at)
      SELECT tenant, 'live', 'cus_' || id, 'external-' || i, 'Customer ' || i, 'customer-' || i || '@example.com', '+49' || (100000000 + i), at, at
      FROM numbered`,
    conversations: `
      INSERT INTO conversations (tenant_id, environment, id, status, channel_id, customer_id, agent_id, assignee_id, external_id, metadata, tags, message_count, snoozed_until, created_at, updated_at)
      SELECT tenant, 'live', 'cnv_' || id,
        (CASE WHEN ${isRare(1)} THEN 'SNOOZED' WHEN n % 200 = 5 THEN 'PENDING' WHEN n % 200 = 6 THEN 'RESOLVED' ELSE 'OPEN' END)::"ConversationStatus",
        CASE WHEN ${isRare(2)} THEN 'rare' WHEN n % 2 = 0 THEN 'web' ELSE 'email' END, 'cus_' || id,
        CASE WHEN ${isRare(3)} THEN 'agt_rare' WHEN n % 3 = 0 THEN 'agt_common' END,
        CASE WHEN ${isRare(3)} THEN 'usr_rare' WHEN n % 3 = 0 THEN 'usr_common' END, 'order-' || i,
        jsonb_build_object('plan', CASE WHEN ${isRare(4)} THEN 'rare' ELSE 'common' END),
        CASE WHEN ${isRare(4)} THEN ARRAY['rare', 'common'] WHEN n % 3 = 1 THEN ARRAY['common', 'tag-' || n % 50] ELSE '{}' END,
        1, CASE WHEN ${isRare(1)} THEN now() + interval '1 day' END, at,
        CASE WHEN n % 10 = 7 THEN least(now(), at + make_interval(hours => (n % 480)::int)) ELSE at + least(now() - at, interval '5 minutes') END
      FROM numbered`,
    conversation_tags: `
      INSERT INTO conversation_tags (tenant_id, environment, tag, conversation_id)
      SELECT tenant_id, environment, unnest(tags) AS tag, id FROM conversations WHERE tags <> '{}' ORDER BY 1, 2, 3, 4`,
    conversation_metadata: `
      INSERT INTO conversation_metadata (tenant_id, environment, key, value, conversation_id)
      SELECT tenant_id, environment, key, value, id FROM conversations, jsonb_each_text(metadata) ORDER BY 1, 2, 3, 4, 5`,
  };
};

/** The tables with a retention period. */
const expiring = (rows: number) => {
  const from = (share: number) => `FROM numbered WHERE i % ${2 / share} < 2`;
  return {
    events: `
      INSERT INTO events (tenant_id, environment, id, type, payload, created_at, expires_at, xact)
      SELECT tenant, 'live', 'evt_' || id, 'message.received', '{"id":"evt_' || id || '","data":"' || repeat('x', 400) || '"}', at, at + interval '30 days',
        (3 + i::bigint * 500 / ${rows})::text::xid8 ${from(1 / 2)}`,
    deliveries: `
      INSERT INTO deliveries (tenant_id, environment, id, webhook_id, event_id, event_type, status, next_attempt_at, attempt_count, automatic_count, response_class, created_at, updated_at)
      SELECT tenant, 'live', 'dlv_' || id, 'whk_' || tenant, 'evt_' || id, 'message.received',
        (CASE WHEN i % 1000 = 0 THEN 'PENDING' ELSE 'DELIVERED' END)::"DeliveryStatus", CASE WHEN i % 1000 = 0 THEN now() + interval '1 hour' END, 1, 1, 2, at, at
      ${from(1 / 2)}`,
    delivery_attempts: `
      INSERT INTO delivery_attempts (tenant_id, environment, delivery_id, number, started_at, duration_ms, status_code, response)
      SELECT tenant, 'live', 'dlv_' || id, 1, at, 5, 200, 'ok' ${from(1 / 2)}`,
    request_logs: `
      INSERT INTO request_logs (tenant_id, environment, id, api_key_id, method, path, status, duration_ms, request_body, created_at)
      SELECT tenant, 'live', 'req_' || id, 'key_' || tenant, 'POST', '/v1/public/conversations', 201, 1, repeat('x', 200), at ${from(1)}`,
    idempotency_records: `
      INSERT INTO idempotency_records (tenant_id, environment, key, fingerprint, status, body, created_at, expires_at)
      SELECT tenant, 'live', 'key-' || i, '\\x00', 201, repeat('x', 400), at, at + interval '1 day' ${from(1 / 2)}`,
    purged_events: `
      INSERT INTO purged_events (tenant_id, environment, id, xact, purged_at) SELECT tenant, 'live', 'evt_gone_' || id, '3', at ${from(1 / 5)}`,
    deleted_items: `INSERT INTO deleted_items (tenant_id, environment, id, deleted_at) SELECT tenant, 'live', 'cnv_gone_' || id, at ${from(1 / 5)}`,
    mails: `
      INSERT INTO mails (id, kind, recipient, status, created_at, sent_at)
      SELECT 'mail_' || id, 'password-reset', 'a@example.com', 'SENT', at, at ${from(1 / 10)}`,
    sessions: `INSERT INTO sessions (id, user_id, created_at, expires_at) SELECT 'ses_' || id, 'usr_1', at, at ${from(1 / 5)}`,
  };
};

/**
 * Fills the tables, several at once. Their indexes are built afterward; only the lists' tables are
 * analyzed.
 */
export async function fillLargeDatabase(url: string, rows: number, parts: string[]): Promise<void> {
  const lists: Record<string, string> = parts.includes("lists") ? listed(rows) : {};
  const retention: Record<string, string> = parts.includes("retention") ? expiring(rows) : {};
  await query(url, async (client) => {
    await client.query("ALTER SYSTEM SET max_wal_size = '8GB'");
    await client.query("SELECT pg_reload_conf()");
    await client.query(numbered(rows));
    await client.query(
      "INSERT INTO tenants (id, slug, name, created_at) SELECT DISTINCT tenant, tenant, tenant, now() - interval '90 days' FROM numbered",
    );
    await client.query(`
      INSERT INTO webhooks (tenant_id, environment, id, url, events, created_at, updated_at)
      SELECT id, 'live', 'whk_' || id, 'http://127.0.0.1:9/', ARRAY['*'], now(), now() FROM tenants`);
  });
  const apart = Object.entries({ ...lists, ...retention }).filter(
    ([table]) => !table.startsWith("conversation"),
  );
  // Tags and metadata are read from the conversations.
  const { conversations, conversation_tags, conversation_metadata } = lists;
  const groups: Record<string, string | undefined>[] = [
    { conversations, conversation_tags, conversation_metadata },
    ...apart.map(([table, statement]) => ({ [table]: statement })),
  ];
  const fillNext = async (client: pg.Client) => {
    for (let group = groups.shift(); group; group = groups.shift())
      for (const [table, statement] of Object.entries(group))
        if (statement) await fill(client, table, statement);
  };
  await Promise.all(Array.from({ length: connections }, () => query(url, fillNext)));
  await query(url, async (client) => {
    await client.query("DROP TABLE numbered");
    for (const table of Object.keys(lists)) await client.query(`VACUUM ANALYZE ${table}`);
  });
}

async function query(url: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(
      "SET maintenance_work_mem = '512MB'; SET session_replication_role = replica",
    );
    await work(client);
  } finally {
    await client.end();
  }
}

async function fill(client: pg.Client, table: string, statement: string): Promise<void> {
  const began = performance.now();
  const { rows: indexes } = await client.query<{ name: string; definition: string }>(
    `SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition FROM pg_index i
     WHERE indrelid = $1::regclass AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = i.indexrelid)`,
    [table],
  );
  for (const { name } of indexes) await client.query(`DROP INDEX ${name}`);
  const { rowCount } = await client.query(statement);
  for (const { definition } of indexes) await client.query(definition);
  process.stdout.write(
    `${table}: ${rowCount} rows in ${((performance.now() - began) / 1_000).toFixed(0)} s\n`,
  );
}
