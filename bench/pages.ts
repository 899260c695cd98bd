// `npm run bench:pages`: how long each page of the dashboard and of the documentation takes to its
// first byte, with 100,000 rows behind each list, and the CPU time of web that it costs. Sends one
// request after another. Each page is compared with a page of the same frame that reads nothing.
// With `--browser`, how soon Chromium shows the largest part of each page, and the size of its
// scripts.
import { randomBytes } from "node:crypto";
import { parseArgs } from "node:util";
import { encode } from "next-auth/jwt";
import { scopes } from "@/lib/api-keys/scopes";
import { createApiKey } from "@/lib/api-keys/service";
import { type Identity, mutate, type Partition } from "@/lib/platform/caller";
import { closeDatabase, db } from "@/lib/platform/db";
import { firstIdAt, type IdKind } from "@/lib/resources/ids";
import { startSession } from "@/lib/sessions/service";
import { countFinishedDays } from "@/lib/usage/count-finished-days";
import { latestMonths } from "@/lib/usage/usage-month";
import { createAccount } from "@/lib/users/service";
import { createWebhook } from "@/lib/webhooks/service";
import { applyMigrations } from "@/prisma/migrate";
import { ensureDatabase } from "@/server/embedded/postgres";
import { startTemporaryPostgres } from "@/server/embedded/temporary-postgres";
import { cpuMicroseconds, residentMegabytes } from "./processes";
import { percentile, type Running, responds, start } from "./setting";

const { values: options } = parseArgs({
  options: {
    rows: { type: "string", default: "100000" },
    visits: { type: "string", default: "200" },
    only: { type: "string", default: "" },
    browser: { type: "boolean", default: false },
  },
});
const rows = Number(options.rows);
const visits = Number(options.visits);
const port = 4_811;
const url = `http://127.0.0.1:${port}`;

const knowledgeBaseId = `kb_01${"1".padStart(24, "0")}`;

const goal = { p50Ms: 20, p99Ms: 60 };

/** The page that reads nothing comes first: the others are compared with it. */
const dashboardPages = (webhookId: string) => ({
  "signatures (reads nothing)": "/signatures",
  overview: "",
  conversations: "/conversations",
  "conversations, by status": "/conversations?status=OPEN",
  customers: "/customers",
  "customers, searched": "/customers?q=customer+4711",
  agents: "/agents",
  knowledge: "/knowledge",
  "documents of a base": `/knowledge/${knowledgeBaseId}`,
  "API keys": "/api-keys",
  webhooks: "/webhooks",
  "deliveries of a webhook": `/webhooks/${webhookId}`,
  "deliveries, failed": `/webhooks/${webhookId}?status=FAILED`,
  "deliveries, of no such type": `/webhooks/${webhookId}?eventType=document.failed`,
  events: "/events",
  "events, by type": "/events?type=message.received",
  logs: "/logs",
  "logs, by status": "/logs?status=4xx",
  "logs, of no such method": "/logs?range=30d&method=DELETE",
  "logs, of no such path": "/logs?range=30d&path=/v1/public/usage",
  usage: "/usage",
  "usage, last month": `/usage?month=${latestMonths(new Date(), 2)[1]}`,
  "audit log": "/settings/audit-log",
});

const docsPages = {
  docs: "/docs",
  "docs, a guide": "/docs/quickstart",
  "docs, a long guide": "/docs/webhooks",
  "docs, the reference": "/docs/reference",
  "docs, a tag of the reference": "/docs/reference/conversations",
  "docs, an operation": "/docs/reference/conversations/create-conversation",
  "docs, errors": "/docs/errors",
};

const postgres = await startTemporaryPostgres();
let web: Running | undefined;
try {
  await ensureDatabase(postgres, "bench");
  await applyMigrations(postgres.url("bench"));
  const secret = randomBytes(32).toString("base64");
  Object.assign(process.env, {
    NODE_ENV: "production",
    LOG_LEVEL: "error",
    // Filling a table takes longer than a statement of the product may.
    DATABASE_STATEMENT_TIMEOUT_MS: "600000",
    DATABASE_URL: postgres.url("bench"),
    SECRET_KEYS: `k1:${randomBytes(32).toString("base64")}`,
    AUDIT_KEYS: randomBytes(32).toString("base64"),
    NEXTAUTH_SECRET: secret,
    NEXTAUTH_URL: url,
    HOST: "127.0.0.1",
    PORT: String(port),
  });
  const { base, webhookId, sessionId } = await seed();
  const session = {
    name: "next-auth.session-token",
    value: await encode({ token: { sessionId }, secret }),
  };
  const cookie = `${session.name}=${session.value}`;
  web = await start(["dist/web.js"], {}, responds(`${url}/health`));

  const pages = [
    ...Object.entries(dashboardPages(webhookId)).map(([name, path]) => [name, `${base}${path}`]),
    ...Object.entries(docsPages),
  ] as [string, string][];
  const chosen = pages.filter(([name], index) => index === 0 || name.includes(options.only));
  if (options.browser) await measureInBrowser(chosen, session);
  else await measureFirstBytes(web, chosen, cookie);
  process.stdout.write(`web after all pages: ${residentMegabytes(web.pid)} MB resident\n`);
} finally {
  await web?.stop();
  await closeDatabase().catch(() => {});
  await postgres.stop();
}

async function measureFirstBytes(
  server: Running,
  pages: [string, string][],
  cookie: string,
): Promise<void> {
  process.stdout.write(
    `${rows.toLocaleString("en")} rows behind each list, ${visits} visits; goal: p50 ≤ ${goal.p50Ms} ms, p99 ≤ ${goal.p99Ms} ms\n`,
  );
  let frameMs = 0;
  for (const [name, path] of pages) {
    const { firstByteMs, cpuMs } = await visit(server, path, cookie);
    const [p50, p99] = [percentile(firstByteMs, 0.5), percentile(firstByteMs, 0.99)];
    frameMs ||= p50;
    const columns = [
      `p50 ${p50.toFixed(1).padStart(6)} ms`,
      `p99 ${p99.toFixed(1).padStart(6)} ms`,
      `${cpuMs.toFixed(1).padStart(6)} ms of CPU`,
      `${(p50 / frameMs).toFixed(1)} × the frame`,
      p50 <= goal.p50Ms && p99 <= goal.p99Ms ? "met" : "NOT met",
    ];
    process.stdout.write(`  ${name.padEnd(30)} ${columns.join("  ")}\n`);
  }
}

async function measureInBrowser(
  pages: [string, string][],
  cookie: { name: string; value: string },
): Promise<void> {
  // Loaded only when used: Chromium need not be installed.
  const { browserGoal, measureLoads, startBrowser } = await import("./page-loads");
  const { lcpMs: mostMs, scriptKb: mostKb } = browserGoal;
  process.stdout.write(
    `${rows.toLocaleString("en")} rows behind each list, medians of ${visits} first visits in Chromium; goal: LCP p50 ≤ ${mostMs} ms, scripts ≤ ${mostKb} KB\n`,
  );
  const browser = await startBrowser();
  try {
    for (const [name, path] of pages) {
      const found = await measureLoads(browser, { url: `${url}${path}`, cookie }, visits);
      const columns = [
        `LCP p50 ${found.lcpMs.toFixed(0).padStart(5)} ms`,
        `p95 ${found.lcpP95Ms.toFixed(0).padStart(5)} ms`,
        `${found.scriptKb.toFixed(0).padStart(4)} KB of scripts`,
        `${String(found.requests).padStart(3)} requests`,
        found.lcpMs <= mostMs && found.scriptKb <= mostKb ? "met" : "NOT met",
      ];
      process.stdout.write(`  ${name.padEnd(30)} ${columns.join("  ")}\n`);
    }
  } finally {
    await browser.close();
  }
}

async function visit(server: Running, path: string, cookie: string) {
  const firstByteMs: number[] = [];
  let cpuBefore = 0;
  for (let index = -10; index < visits; index++) {
    // The first visits load the page's modules.
    if (index === 0) cpuBefore = cpuMicroseconds(server.pid);
    const startedAt = performance.now();
    // Resolves with the headers, which are sent with the first byte of the page.
    const response = await fetch(`${url}${path}`, { headers: { cookie }, redirect: "manual" });
    if (index >= 0) firstByteMs.push(performance.now() - startedAt);
    await response.text();
    if (response.status !== 200)
      throw new Error(`${path}: ${response.status} ${response.headers.get("location") ?? ""}`);
  }
  return { firstByteMs, cpuMs: (cpuMicroseconds(server.pid) - cpuBefore) / visits / 1_000 };
}

async function seed() {
  const account = {
    organization: "Bench",
    name: "Bench",
    email: "bench@example.com",
    passwordHash: "none",
  };
  const { user, tenant } = await db().$transaction((transaction) =>
    createAccount(transaction, account),
  );
  const session = await startSession(db(), user.id, { address: null, userAgent: null });
  const partition: Partition = { tenantId: tenant.id, environment: "live" };
  const identity: Identity = {
    partition,
    actor: { type: "OPERATOR", id: "bench" },
    request: null,
    address: null,
  };
  const { apiKey } = await mutate(identity, (caller) =>
    createApiKey(caller, { name: "bench", scopes: [...scopes] }),
  );
  const webhook = await mutate(identity, (caller) =>
    createWebhook(caller, {
      url: "https://example.com/hook",
      events: ["*"],
      description: null,
      metadata: {},
    }),
  );

  const { tenantId } = partition;
  const insert = db();
  /** Created over the last weeks, the oldest first. */
  const spread = (kind: IdKind) =>
    Array.from({ length: rows }, (_, index) =>
      firstIdAt(kind, new Date(Date.now() - (rows - index) * 20_000)),
    );
  const conversationIds = spread("conversation");
  await insert.$executeRaw`
    INSERT INTO customers (tenant_id, environment, id, name, email, external_id, search_words, created_at, updated_at)
    SELECT ${tenantId}, 'live', 'cus_01' || lpad(n::text, 24, '0'), 'Customer ' || n, 'customer' || n || '@example.com', 'u_' || n,
      ARRAY['customer', n::text, 'customer' || n || '@example.com', 'customer' || n, 'example', 'com', 'u_' || n, 'u'], now(), now()
    FROM generate_series(1, ${rows}) AS n`;
  await insert.$executeRaw`
    INSERT INTO conversations (tenant_id, environment, id, status, channel_id, customer_id, subject, tags, message_count, last_message_at, last_message_preview, created_at, updated_at)
    SELECT ${tenantId}, 'live', id, (ARRAY['OPEN', 'PENDING', 'RESOLVED', 'CLOSED'])[n % 4 + 1]::"ConversationStatus",
      'web', 'cus_01' || lpad(n::text, 24, '0'), 'Subject ' || n, '{}', 1, now(), 'What a customer wrote, ' || n, now(), now()
    FROM unnest(${conversationIds}::text[]) WITH ORDINALITY AS made (id, n)`;
  await insert.$executeRaw`
    INSERT INTO messages (tenant_id, environment, id, conversation_id, sequence, direction, author_type, text, created_at)
    SELECT ${tenantId}, 'live', id, conversation_id, 1, (ARRAY['INBOUND', 'OUTBOUND'])[n % 2 + 1]::"Direction", 'CUSTOMER', 'What a customer wrote', now()
    FROM unnest(${spread("message")}::text[], ${conversationIds}::text[]) WITH ORDINALITY AS made (id, conversation_id, n)`;
  await insert.$executeRaw`
    INSERT INTO agents (tenant_id, environment, id, name, knowledge_base_ids, created_at, updated_at)
    SELECT ${tenantId}, 'live', 'agt_01' || lpad(n::text, 24, '0'), 'Agent ' || n, '{}', now(), now() FROM generate_series(1, ${rows}) AS n`;
  await insert.$executeRaw`
    INSERT INTO knowledge_bases (tenant_id, environment, id, name, created_at, updated_at)
    SELECT ${tenantId}, 'live', 'kb_01' || lpad(n::text, 24, '0'), 'Base ' || n, now(), now() FROM generate_series(1, ${rows}) AS n`;
  await insert.$executeRaw`
    INSERT INTO documents (tenant_id, environment, id, knowledge_base_id, name, content_type, size_bytes, sha256, blob_key, status, created_at, updated_at)
    SELECT ${tenantId}, 'live', 'doc_01' || lpad(n::text, 24, '0'), ${knowledgeBaseId}, 'Document ' || n, 'text/plain', 1000,
      decode(lpad(to_hex(n), 64, '0'), 'hex'), 'blob' || n, 'READY', now() - n * interval '20 seconds', now()
    FROM generate_series(1, ${rows}) AS n`;
  const eventIds = spread("event");
  await insert.$executeRaw`
    INSERT INTO events (tenant_id, environment, id, type, payload, created_at)
    SELECT ${tenantId}, 'live', id, type,
      json_build_object('id', id, 'type', type, 'timestamp', to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        'data', json_build_object('object', json_build_object('id', 'msg_' || substr(id, 5), 'text', repeat('x', 300))))::text, at
    FROM unnest(${eventIds}::text[]) WITH ORDINALITY AS made (id, n)
    CROSS JOIN LATERAL (SELECT (ARRAY['conversation.created', 'message.received'])[n % 2 + 1], now() - (${rows} - n) * interval '20 seconds') AS more (type, at)`;
  await insert.$executeRaw`
    INSERT INTO deliveries (tenant_id, environment, id, webhook_id, event_id, event_type, status, attempt_count, automatic_count,
      first_started_at, first_duration_ms, first_status_code, created_at, updated_at)
    SELECT ${tenantId}, 'live', 'dlv_' || substr(id, 5), ${webhook.id}, id, 'message.received',
      (CASE WHEN failed THEN 'FAILED' ELSE 'DELIVERED' END)::"DeliveryStatus", 1, 1,
      CASE WHEN NOT failed THEN at END, CASE WHEN NOT failed THEN 12 END, CASE WHEN NOT failed THEN 200 END, at, now()
    FROM unnest(${eventIds}::text[]) WITH ORDINALITY AS made (id, n)
    CROSS JOIN LATERAL (SELECT n % 50 = 0, now() - (${rows} - n) * interval '20 seconds') AS more (failed, at)`;
  // The delivery itself has a first attempt that succeeded.
  await insert.$executeRaw`
    INSERT INTO delivery_attempts (tenant_id, environment, delivery_id, number, started_at, duration_ms, status_code)
    SELECT ${tenantId}, 'live', 'dlv_' || substr(id, 5), 1, now() - (${rows} - n) * interval '20 seconds', 12, 500
    FROM unnest(${eventIds}::text[]) WITH ORDINALITY AS made (id, n) WHERE n % 50 = 0`;
  await insert.$executeRaw`
    INSERT INTO request_logs (tenant_id, environment, id, api_key_id, method, path, status, duration_ms, created_at)
    SELECT ${tenantId}, 'live', id, ${apiKey.id}, 'POST', '/v1/public/conversations',
      (ARRAY[201, 201, 201, 422, 200])[n % 5 + 1], 3, now() - (${rows} - n) * interval '20 seconds'
    FROM unnest(${spread("request")}::text[]) WITH ORDINALITY AS made (id, n)`;
  await insert.$executeRaw`
    INSERT INTO api_keys (tenant_id, environment, id, name, hash, hint, scopes, created_at)
    SELECT ${tenantId}, 'live', 'key_01' || lpad(n::text, 24, '0'), 'Key ' || n, decode(lpad(to_hex(n), 64, '0'), 'hex'), 'prl_live_…' || n, '{read:usage}', now()
    FROM generate_series(1, ${rows}) AS n`;
  await insert.$executeRaw`
    INSERT INTO audit_entries (tenant_id, sequence, actor_type, actor_id, action, target_id, environment, changes, previous_hash, hash, key_id, created_at)
    SELECT ${tenantId}, n + 100, 'USER', ${user.id}, 'api_key.created', 'key_01' || lpad(n::text, 24, '0'), 'live', '{}', '\\x00', '\\x00', '', now()
    FROM generate_series(1, ${rows}) AS n`;
  // As the worker does it, here also for the time before the tenant existed.
  await insert.$executeRaw`UPDATE tenants SET counted_until = current_date - 60`;
  while ((await countFinishedDays(20)) > 0);
  await insert.$executeRaw`VACUUM ANALYZE`;
  return { base: `/${tenant.slug}/live`, webhookId: webhook.id, sessionId: session.id };
}
