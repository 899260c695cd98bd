import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import type { Findings } from "./check";
import type { Client } from "./client";
import { until } from "./inflict";

// Programs that delete what they created. They have a tenant of their own, because the other checks
// compare everything that was created with what is there.

type Way =
  | "kept"
  | "message redacted"
  | "conversation deleted"
  | "customer deleted"
  | "customer erased";

/** What was created, and what then happened to it, both acknowledged. `secret` is in its texts. */
type Removed = {
  way: Way;
  secret: string;
  customerId: string;
  conversationId: string;
  messageId: string;
};

export type Removals = { done: Removed[]; violations: string[] };

const ways: Way[] = [
  "kept",
  "message redacted",
  "conversation deleted",
  "customer deleted",
  "customer erased",
];
/** What only the messages contain. */
const textOf = (secret: string) => secret.replace("-end", "-text");

const messagesOfEach = 3;
const pauseMs = 200;

/** Runs writers until it is stopped. Removals in progress are completed first. */
export function startRemovals(writers: number, client: Client, random: () => number) {
  const removals: Removals = { done: [], violations: [] };
  let isOver = false;
  const running = Array.from({ length: writers }, async (_, writer) => {
    try {
      for (let number = 0; !isOver; number++) {
        const way = ways[Math.floor(random() * ways.length)] ?? "kept";
        removals.done.push(await createAndRemove(client, `unseen-r${writer}-${number}-end`, way));
        await sleep(random() * pauseMs);
      }
    } catch (error) {
      removals.violations.push(`a remover gave up: ${(error as Error).message}`);
    }
  });
  const stop = async () => {
    isOver = true;
    await Promise.all(running);
    return removals;
  };
  return { stop };
}

async function createAndRemove(client: Client, secret: string, way: Way): Promise<Removed> {
  async function change(method: "POST" | "DELETE", path: string, body: object | null) {
    const key = `${method} ${path} ${secret} ${JSON.stringify(body)?.length}`;
    const sent = { method, path, body: body && JSON.stringify(body), key };
    const { status, text } = await client.insist(sent);
    if (status >= 300) throw new Error(`${method} ${path} got ${status}: ${text}`);
    return JSON.parse(text) as { id: string };
  }
  const name = `Name ${secret}`;
  const { id: customerId } = await change("POST", "/customers", { name, externalId: secret });
  const { id: conversationId } = await change("POST", "/conversations", {
    ...{ channelId: "web", subject: `Subject ${secret}`, customerId },
    metadata: { secret },
  });
  const conversation = `/conversations/${conversationId}`;
  const messages: string[] = [];
  for (let number = 0; number < messagesOfEach; number++) {
    const text = `Message ${textOf(secret)}${"!".repeat(number)}`;
    messages.push((await change("POST", `${conversation}/messages`, { text })).id);
  }
  const messageId = messages.at(-1) ?? "";
  const customer = `/customers/${customerId}`;
  if (way === "message redacted")
    for (const id of messages) await change("DELETE", `${conversation}/messages/${id}`, null);
  if (way === "conversation deleted") await change("DELETE", conversation, null);
  if (way === "customer deleted") await change("DELETE", `${customer}?cascade=true`, null);
  if (way === "customer erased") await change("POST", `${customer}/erase`, null);
  return { way, secret, customerId, conversationId, messageId };
}

/** An erasure reads all events of the tenant, so many of them take long. None may stand still. */
const standstillMs = 180_000;

/** What was removed is gone completely, with one event for it, and what was kept is there. */
export async function checkRemovals(
  database: pg.Client,
  tenantId: string,
  { done, violations }: Removals,
): Promise<Findings> {
  const query = async <Row extends pg.QueryResultRow>(text: string) =>
    (await database.query<Row>(text, [tenantId])).rows;
  const countLeft = async () => {
    const [row] = await query<{ left: number }>(
      `SELECT ((SELECT count(*) FROM deletions WHERE tenant_id = $1 AND finished_at IS NULL)
        + (SELECT count(*) FROM erasures WHERE tenant_id = $1 AND completed_at IS NULL))::int AS left`,
    );
    return row?.left ?? 0;
  };
  for (let left = await countLeft(); left > 0; ) {
    const hasProgressed = async () => (await countLeft()) < left;
    const waiting = { withinMs: standstillMs, everyMs: 250 };
    try {
      await until("something is removed", hasProgressed, waiting);
    } catch {
      violations.push(`${left} removals stood still for ${standstillMs / 1000} s`);
      break;
    }
    left = await countLeft();
  }

  const idsIn = async (sql: string) =>
    new Set((await query<{ id: string }>(sql)).map(({ id }) => id));
  const conversations = await idsIn("SELECT id FROM conversations WHERE tenant_id = $1");
  const customers = await idsIn("SELECT id FROM customers WHERE tenant_id = $1");
  const withMessages = await idsIn(
    "SELECT conversation_id AS id FROM messages WHERE tenant_id = $1",
  );
  const certified = await idsIn(
    "SELECT customer_id AS id FROM erasures WHERE tenant_id = $1 AND completed_at IS NOT NULL AND receipt IS NOT NULL",
  );
  const events = await query<{ type: string; id: string; times: number }>(
    `SELECT type, payload::json #>> '{data,object,id}' AS id, count(*)::int AS times FROM events
     WHERE tenant_id = $1 AND type IN ('message.redacted', 'conversation.deleted', 'customer.deleted', 'customer.erased') GROUP BY 1, 2`,
  );
  const raised = new Map(events.map(({ type, id, times }) => [`${type} ${id}`, times]));
  const texts = await secretsIn(database, tenantId);

  for (const { way, secret, customerId, conversationId, messageId } of done) {
    const isGone = way === "conversation deleted" || way === "customer deleted";
    const found = (what: string, is: boolean, should: boolean) => {
      if (is !== should)
        violations.push(`${what} of ${secret} (${way}) ${is ? "is there" : "is gone"}`);
    };
    found("the conversation", conversations.has(conversationId), !isGone);
    found("a message", withMessages.has(conversationId), !isGone);
    found("the customer", customers.has(customerId), way !== "customer deleted");
    const named = texts.get(secret) ?? [];
    const said = texts.get(textOf(secret)) ?? [];
    if (way === "customer erased" && named.length + said.length > 0)
      violations.push(`${secret} was erased and is in ${[...named, ...said].join(", ")}`);
    if (way === "customer erased" && !certified.has(customerId))
      violations.push(`the erasure of ${customerId} has no receipt`);
    if (way === "message redacted" && said.length > 0)
      violations.push(`${secret} was redacted and is in ${said.join(", ")}`);
    if (way === "kept" && !said.includes("messages"))
      violations.push(`${secret} was kept and is in no message`);
    const expected: Record<Way, string | null> = {
      kept: null,
      "message redacted": `message.redacted ${messageId}`,
      "conversation deleted": `conversation.deleted ${conversationId}`,
      "customer deleted": `customer.deleted ${customerId}`,
      "customer erased": `customer.erased ${customerId}`,
    };
    const event = expected[way];
    if (event && raised.get(event) !== 1)
      violations.push(`${event} was raised ${raised.get(event) ?? 0} times`);
    if (event) raised.delete(event);
  }
  const of = (way: Way) => done.filter((each) => each.way === way).length;
  const figures = Object.fromEntries(ways.map((way) => [`removals: ${way}`, of(way)]));
  return { violations, figures };
}

/** The tables that contain each secret. */
async function secretsIn(database: pg.Client, tenantId: string): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  const tables = [
    ...["customers", "conversations", "messages", "events", "search_entries", "request_logs"],
    ...["idempotency_records", "customer_metadata", "conversation_metadata"],
  ];
  for (const table of tables) {
    const { rows } = await database.query<{ secret: string }>(
      `SELECT DISTINCT (regexp_matches(row_to_json(t)::text, 'unseen-r[0-9]+-[0-9]+-(?:end|text)', 'g'))[1] AS secret FROM ${table} t WHERE tenant_id = $1`,
      [tenantId],
    );
    for (const { secret } of rows) found.set(secret, [...(found.get(secret) ?? []), table]);
  }
  return found;
}
