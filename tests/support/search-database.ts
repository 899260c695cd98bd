import pg from "pg";
import { segmentEntries } from "@/lib/conversations/search-index.sql";

// Conversations of four messages each, written by PostgreSQL itself, with the entries that the job
// would write. Words are as frequent as in a language: w1 is in half of all messages, w40000 in one
// of a hundred thousand.

export const searched = { tenantId: "ten_searched", strangerId: "ten_stranger" };

const messagesEach = 4;
const vocabulary = 50_000;

const id = (prefix: string, number: string) =>
  `'${prefix}_01' || lpad(upper(to_hex(${number})), 24, '0')`;

const own = `'${searched.tenantId}', 'live'::"Environment"`;

const statements = (conversations: number) => [
  "SET session_replication_role = replica",
  "SELECT setseed(0.5)",
  `INSERT INTO tenants (id, slug, name, created_at) VALUES ('${searched.tenantId}', 'searched', 'Searched', now()), ('${searched.strangerId}', 'stranger', 'Stranger', now())`,
  `INSERT INTO customers (tenant_id, environment, id, name, email, search_words, created_at, updated_at)
     SELECT ${own}, ${id("cus", "i")}, 'Ada ' || i, 'ada' || i || '@example.com', ARRAY['ada', i::text], now(), now()
     FROM generate_series(1, ${conversations / 5}) i`,
  // Every seventh conversation has the tag seven, and the next one the word gamma: never both.
  `INSERT INTO conversations (tenant_id, environment, id, status, channel_id, customer_id, assignee_id, subject, tags, metadata, message_count, created_at, updated_at)
     SELECT ${own}, ${id("cnv", "i")}, (CASE WHEN i % ${conversations / 10} = 7 THEN 'SNOOZED' WHEN i % 3 = 0 THEN 'CLOSED' ELSE 'OPEN' END)::"ConversationStatus",
       CASE WHEN i % 2 = 0 THEN 'web' ELSE 'email' END, CASE WHEN i % 2 = 0 THEN ${id("cus", `1 + i % (${conversations / 5})`)} END,
       CASE WHEN i % ${conversations / 50} = 8 THEN 'usr_few' WHEN i % 3 = 1 THEN 'usr_many' END,
       CASE WHEN i % 3 = 0 THEN 'refund w' || i % 100 END, CASE WHEN i % 7 = 1 THEN ARRAY['seven'] ELSE '{}' END,
       jsonb_build_object('plan', CASE WHEN i % 1000 = 9 THEN 'gold' ELSE 'free' END), ${messagesEach},
       now() - make_interval(secs => 60.0 * 86400 * (${conversations} - i) / ${conversations}),
       now() - make_interval(secs => 60.0 * 86400 * (${conversations} - i) / ${conversations})
     FROM generate_series(1, ${conversations}) i`,
  `INSERT INTO conversation_tags (tenant_id, environment, tag, conversation_id)
     SELECT tenant_id, environment, unnest(tags), id FROM conversations WHERE tags <> '{}'`,
  `INSERT INTO conversation_metadata (tenant_id, environment, key, value, conversation_id)
     SELECT tenant_id, environment, key, value, id FROM conversations, jsonb_each_text(metadata)`,
  `INSERT INTO messages (tenant_id, environment, id, conversation_id, sequence, direction, author_type, text, created_at, xact)
     SELECT ${own}, ${id("msg", "n")}, ${id("cnv", "i")}, 1 + n % ${messagesEach}, 'INBOUND', 'CUSTOMER',
       'order' || n || CASE WHEN i % 7 = 2 THEN ' gamma' WHEN n % 10 = 0 THEN ' alpha' WHEN n % 10 = 5 THEN ' beta' ELSE '' END || (
         SELECT string_agg(' w' || floor(power(${vocabulary}, random()))::int, '') FROM generate_series(1, 8 + n % 9)
       ), now() - interval '1 day', (3 + n::bigint * 500 / ${conversations * messagesEach})::text::xid8
     FROM (SELECT n, (n - 1) / ${messagesEach} + 1 AS i FROM generate_series(1, ${conversations * messagesEach}) n) AS numbered`,
  `INSERT INTO search_segments (tenant_id, environment, after_id, entry_count)
     SELECT ${own}, CASE WHEN s = 0 THEN '' ELSE ${id("cnv", `s * ${segmentEntries / messagesEach}`)} END, ${segmentEntries}
     FROM generate_series(0, ${Math.ceil((conversations * messagesEach) / segmentEntries) - 1}) s`,
  `INSERT INTO search_entries (tenant_id, environment, conversation_id, message_id, segment_id, header, text)
     SELECT c.tenant_id, c.environment, c.id, coalesce(m.id, ''), (
         SELECT s.id FROM search_segments s WHERE s.tenant_id = c.tenant_id AND s.after_id < c.id ORDER BY s.after_id DESC LIMIT 1
       ), coalesce(' ' || c.subject || ' |', '') || coalesce(' ' || lower(u.name) || ' | ' || translate(u.email, '@.', '  ') || ' |', ''),
       coalesce(' ' || m.text, '')
     FROM conversations c LEFT JOIN customers u ON u.tenant_id = c.tenant_id AND u.environment = c.environment AND u.id = c.customer_id
     LEFT JOIN LATERAL (
       SELECT m.id, m.text FROM messages m WHERE m.tenant_id = c.tenant_id AND m.environment = c.environment AND m.conversation_id = c.id
       UNION ALL SELECT '', NULL WHERE c.subject IS NOT NULL OR c.customer_id IS NOT NULL
     ) AS m ON true
     ORDER BY c.id`,
  // The same words of another tenant, which no search may read.
  `INSERT INTO search_segments (tenant_id, environment, after_id, entry_count) VALUES ('${searched.strangerId}', 'live', '', 1)`,
  `INSERT INTO search_entries (tenant_id, environment, conversation_id, message_id, segment_id, header, text)
     SELECT '${searched.strangerId}', environment, conversation_id, message_id, (SELECT id FROM search_segments WHERE tenant_id = '${searched.strangerId}'), header, text
     FROM search_entries WHERE message_id <> '' AND right(message_id, 1) IN ('0', '8')`,
  "UPDATE search_progress SET message_id = 'msg_Z', xact = (SELECT max(xact::text::bigint) FROM messages)::text::xid8",
  "SET session_replication_role = DEFAULT",
];

/** Fills a migrated database, and leaves its tables analyzed and without background work. */
export async function fillSearchDatabase(
  url: string,
  messages: number,
  note: (line: string) => void = () => {},
): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query("SET maintenance_work_mem = '256MB'");
    // The index is created last, which takes less time than adding to it.
    const { rows: indexes } = await client.query<{ definition: string }>(
      "SELECT pg_get_indexdef('search_entries_words_idx'::regclass) AS definition",
    );
    await client.query("DROP INDEX search_entries_words_idx");
    for (const statement of statements(messages / messagesEach)) {
      const began = performance.now();
      const { rowCount } = await client.query(statement);
      note(
        `${statement.slice(0, 40)}: ${rowCount} rows, ${Math.round(performance.now() - began)} ms`,
      );
    }
    await client.query(indexes[0]?.definition ?? "");
    await client.query("VACUUM ANALYZE");
    const { rows } = await client.query<{ size: string }>(
      "SELECT pg_size_pretty(pg_relation_size('search_entries_words_idx')) || ' of index, ' || pg_size_pretty(pg_table_size('search_entries')) || ' of entries, ' || pg_size_pretty(pg_table_size('messages')) || ' of messages' AS size",
    );
    note(rows[0]?.size ?? "");
  } finally {
    await client.end();
  }
}

type Query = Record<string, string>;

/** Words from those in every entry to one that is in none, alone and together. */
export const words: string[] = [
  "w",
  "w1",
  "w1 w2",
  "w1 w2 w3 w4",
  "w77",
  "w40000",
  "order12",
  "order1 w1",
  "ada",
  "ada refund w5",
  "refund",
  "alpha beta",
  "gamma",
  '"w1 w2"',
  '"w1 w1 w1"',
  '"w9 w77"',
  "030 1234",
  "nowhere",
];

export const filters: Query[] = [
  {},
  { status: "OPEN" },
  { status: "SNOOZED" },
  { channelId: "web", status: "OPEN,CLOSED" },
  { assigneeId: "usr_few" },
  { assigneeId: "usr_many" },
  { tag: "seven" },
  { tag: "none" },
  { "metadata[plan]": "gold" },
  { "metadata[plan]": "free", status: "CLOSED" },
  { updatedSince: new Date(Date.now() - 86_400_000).toISOString() },
  { updatedSince: new Date(Date.now() - 30 * 86_400_000).toISOString() },
];
