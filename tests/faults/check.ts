import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import path from "node:path";
import type pg from "pg";
import type { ChainFinding } from "@/lib/audit/verify-chain";
import type { Client } from "./client";
import { countAcknowledged, type History } from "./history";
import { until } from "./inflict";
import type { CountingReceiver, Reply } from "./receivers";

/** The violations found, and the figures counted. */
export type Findings = {
  violations: string[];
  figures: Record<string, string | number>;
  /** The directory of data and logs, if they were retained. */
  directory?: string | null;
};

/** A webhook created before the first event, subscribed to all or some events. */
export type Subscription = {
  webhookId: string;
  name: string;
  isHealthy: boolean;
  wants: (eventType: string) => boolean;
  receiver: CountingReceiver;
  isOrdered: boolean;
  /** What it replies to the events that it receives. */
  reply: Reply | undefined;
};

type Context = {
  database: pg.Client;
  tenantId: string;
  directory: string;
  client: Client;
  history: History;
  subscriptions: Subscription[];
  verifyAudit: () => ChainFinding;
};

type EventRow = { id: string; type: string; payload: string };
type StoredEvent = {
  id: string;
  type: string;
  objectId: string;
  /** Of a message. */
  conversationId: string | null;
  sequence: number | null;
  digest: string;
};

const replaysAtOnce = 16;

/**
 * Compares the database and the receivers with the acknowledged changes. It checks the whole history,
 * not a sample.
 */
export async function checkHistory(context: Context): Promise<Findings> {
  const findings: Findings = { violations: [...context.history.violations], figures: {} };
  const all = await checkRows(context, findings);
  const events = await readEvents(context);
  const rows = await checkReplies(context, events, all, findings);
  checkEvents(context, events, rows, findings);
  await checkState(context, findings);
  await checkDeliveries(context, events, findings);
  await checkOrder(context, events, findings);
  await checkFiles(context, findings);
  await checkSearch(context, findings);
  await checkDocuments(context, findings);
  await checkReplays(context, findings);
  await checkAudit(context, findings);
  return findings;
}

type Row = { id: string; label: string };
type Rows = Record<"conversations" | "messages" | "customers" | "documents" | "files", Row[]>;

/** Replies are found by their events instead. */
const isReply = ({ label }: Row) => label.startsWith("evt_");

/** Nothing acknowledged is lost, nothing exists twice, and nothing exists that no client created. */
async function checkRows(
  { database, tenantId, history }: Context,
  { violations, figures }: Findings,
): Promise<Rows> {
  const select = async (table: string, label: string) =>
    (
      await database.query<Row>(`SELECT id, ${label} AS label FROM ${table} WHERE tenant_id = $1`, [
        tenantId,
      ])
    ).rows;
  const rows: Rows = {
    conversations: await select("conversations", "external_id"),
    messages: await select("messages", "external_id"),
    customers: await select("customers", "external_id"),
    documents: await select("documents", "split_part(name, '.', 1)"),
    files: await select("files", "split_part(name, '.', 1)"),
  };

  let lost = 0;
  let doubled = 0;
  for (const noun of Object.keys(rows) as (keyof Rows)[]) {
    const ids = groupBy(
      rows[noun].filter((row) => !isReply(row)),
      ({ label }) => label,
    );
    for (const made of history[noun]) {
      const found = ids.get(made.label) ?? [];
      ids.delete(made.label);
      const isDeleted = noun === "documents" && history.deletedDocuments.has(made.id ?? "");
      const least = made.isCertain && !isDeleted ? 1 : 0;
      const most = isDeleted ? 0 : 1;
      if (found.length < least)
        lost += count(violations, `${noun} ${made.label} was acknowledged and is lost`);
      if (found.length > most)
        doubled += count(
          violations,
          `${noun} ${made.label} is there ${found.length} times instead of ${most}`,
        );
      if (made.id && found[0] && found[0].id !== made.id)
        violations.push(`${noun} ${made.label} has another id than the response said`);
    }
    for (const label of ids.keys())
      violations.push(`${noun} ${label} exists, but no request created it`);
  }
  Object.assign(figures, {
    "acknowledged writes": countAcknowledged(history),
    "of them lost": lost,
    "done twice": doubled,
  });
  return rows;
}

async function readEvents({ database, tenantId }: Context): Promise<StoredEvent[]> {
  const { rows } = await database.query<EventRow>(
    "SELECT id, type, payload FROM events WHERE tenant_id = $1",
    [tenantId],
  );
  return rows.map(({ id, type, payload }) => {
    const { object } = JSON.parse(payload).data;
    return {
      ...{ id, type, objectId: object.id },
      ...{ conversationId: object.conversationId ?? null, sequence: object.sequence ?? null },
      digest: createHash("sha256").update(payload).digest("hex"),
    };
  });
}

/**
 * Each event that a receiver replied to has exactly one reply.
 * @returns the rows without the replies
 */
async function checkReplies(
  { subscriptions }: Context,
  events: StoredEvent[],
  rows: Rows,
  { violations, figures }: Findings,
): Promise<Rows> {
  const replies = rows.messages.filter(isReply);
  const replied = subscriptions.flatMap(({ reply, wants, receiver }) =>
    events
      .filter(({ id, type }) => reply?.(id) != null && wants(type) && receiver.received.has(id))
      .map(({ id }) => id),
  );
  const posted = compare(
    replies.map(({ label }) => label),
    replied,
  );
  const raised = compare(
    events.filter(({ type }) => type === "message.sent").map(({ objectId }) => objectId),
    replies.map(({ id }) => id),
  );
  for (const id of posted.missing) violations.push(`the reply to ${id} is lost`);
  for (const id of posted.added) violations.push(`the reply to ${id} was posted too often`);
  for (const id of [...raised.missing, ...raised.added])
    violations.push(`the reply ${id} did not raise one event`);
  figures.replies = replies.length;
  return { ...rows, messages: rows.messages.filter((row) => !isReply(row)) };
}

/** The receivers with ordering first received the messages of each conversation by their sequence. */
async function checkOrder(
  { subscriptions }: Context,
  events: StoredEvent[],
  { violations, figures }: Findings,
): Promise<void> {
  const byId = new Map(events.map((event) => [event.id, event]));
  for (const { name, receiver } of subscriptions.filter(({ isOrdered }) => isOrdered)) {
    const last = new Map<string, number>();
    let inOrder = 0;
    for (const id of receiver.received.keys()) {
      const { type, objectId, conversationId, sequence } = byId.get(id) ?? {};
      const lane = conversationId ?? objectId ?? "";
      if (type === "conversation.created" && last.has(lane))
        violations.push(`the ${name} receiver got ${id} after a later event of ${lane}`);
      if (type === "conversation.created") last.set(lane, 0);
      if (!conversationId || !sequence) continue;
      if ((last.get(lane) ?? -1) >= sequence || !last.has(lane))
        violations.push(`the ${name} receiver got message ${sequence} of ${lane} out of order`);
      last.set(lane, sequence);
      inOrder++;
    }
    figures[`messages in order, of ${last.size} conversations`] = inOrder;
  }
}

/** Every file has its message, and its content. */
async function checkFiles(
  { database, tenantId, history, directory }: Context,
  { violations, figures }: Findings,
): Promise<void> {
  const { rows } = await database.query<{ id: string; message_id: string; blob_key: string }>(
    "SELECT id, message_id, blob_key FROM files WHERE tenant_id = $1",
    [tenantId],
  );
  const files = new Map(rows.map((row) => [row.id, row]));
  for (const { id, fileId } of history.posted) {
    if (fileId === null) continue;
    const file = files.get(fileId);
    if (file?.message_id !== id) violations.push(`message ${id} has lost its file ${fileId}`);
    else if (!existsSync(path.join(directory, "blobs/kept", file.blob_key)))
      violations.push(`file ${fileId} has lost its content`);
  }
  figures.files = rows.length;
}

const searched = 200;
const searchMs = 60_000;

/** The search finds messages that were acknowledged, from the first to the last. */
async function checkSearch(
  { client, history }: Context,
  { violations, figures }: Findings,
): Promise<void> {
  const step = Math.max(1, Math.floor(history.posted.length / searched));
  const sample = history.posted.filter((_, index) => index % step === 0);
  for (const { label, conversationId } of sample) {
    const query = new URLSearchParams({ q: `"Message ${label}"` });
    const find = async () => {
      const request = { method: "GET", path: `/conversations/search?${query}` } as const;
      const { text } = await client.insist({ ...request, body: null, key: null });
      return text.includes(conversationId);
    };
    const isFound = await until(`${label} is found`, find, { withinMs: searchMs }).catch(
      () => false,
    );
    if (!isFound) violations.push(`the search does not find message ${label}`);
  }
  figures["messages searched for and found"] = sample.length;
}

/** No event without its row, no row without its event, and one event for each change. */
function checkEvents(
  { history }: Context,
  events: StoredEvent[],
  rows: Rows,
  { violations, figures }: Findings,
): void {
  const objectsOf = (type: string) =>
    events.filter((event) => event.type === type).map(({ objectId }) => objectId);
  const idsOf = (noun: keyof Rows) => rows[noun].map(({ id }) => id);
  const deleted = [...history.deletedDocuments];
  const changed = (prefix: string) =>
    [...history.changes]
      .filter(([id]) => id.startsWith(prefix))
      .flatMap(([id, times]) => Array(times).fill(id));
  const expected: Record<string, string[]> = {
    "conversation.created": idsOf("conversations"),
    "conversation.updated": changed("cnv_"),
    "message.received": idsOf("messages"),
    "customer.created": idsOf("customers"),
    "customer.updated": changed("cus_"),
    "document.created": [...idsOf("documents"), ...deleted],
    "document.deleted": deleted,
  };
  let ghosts = 0;
  for (const [type, ids] of Object.entries(expected)) {
    const difference = compare(objectsOf(type), ids);
    for (const id of difference.added)
      ghosts += count(violations, `${type} was recorded for ${id} without its change`);
    for (const id of difference.missing) ghosts += count(violations, `${id} has no ${type}`);
  }
  Object.assign(figures, {
    events: events.length,
    "events without their row, or rows without their event": ghosts,
  });
}

/** Every row has its last acknowledged state, and all counts are correct. */
async function checkState(
  { database, tenantId, history }: Context,
  { violations }: Findings,
): Promise<void> {
  const query = async <Row extends pg.QueryResultRow>(text: string) =>
    (await database.query<Row>(text, [tenantId])).rows;
  const held = await query<{ id: string; value: string }>(
    `SELECT id, subject AS value FROM conversations WHERE tenant_id = $1 AND subject IS NOT NULL
     UNION ALL SELECT id, name FROM customers WHERE tenant_id = $1`,
  );
  const values = new Map(held.map(({ id, value }) => [id, value]));
  for (const [id, value] of [...history.subjects, ...history.names]) {
    if (values.get(id) !== value)
      violations.push(`${id} holds "${values.get(id)}" where "${value}" was acknowledged last`);
  }
  const miscounted = await query<{ id: string }>(
    `SELECT c.id FROM conversations c LEFT JOIN messages m ON m.tenant_id = c.tenant_id AND m.environment = c.environment AND m.conversation_id = c.id
     WHERE c.tenant_id = $1 GROUP BY c.tenant_id, c.environment, c.id
     HAVING count(m.id) <> c.message_count OR coalesce(max(m.sequence), 0) <> c.message_count
     UNION ALL
     SELECT u.id FROM customers u LEFT JOIN conversations c ON c.tenant_id = u.tenant_id AND c.environment = u.environment AND c.customer_id = u.id
     WHERE u.tenant_id = $1 GROUP BY u.tenant_id, u.environment, u.id HAVING count(c.id) <> u.conversation_count`,
  );
  for (const { id } of miscounted) violations.push(`${id} counts wrongly what belongs to it`);
  const webhooks = await query<{ id: string }>(
    "SELECT id FROM webhooks WHERE tenant_id = $1 AND deleted_at IS NULL",
  );
  for (const { id } of webhooks)
    if (history.deletedWebhooks.has(id)) violations.push(`${id} was deleted and is there`);
}

type DeliveryRow = {
  event_id: string;
  webhook_id: string;
  status: string;
  attempts: number;
  recorded: number;
  is_waiting: boolean;
};

/**
 * Each event has a delivery for each subscribed webhook, which is delivered or visibly pending.
 */
async function checkDeliveries(
  context: Context,
  events: StoredEvent[],
  { violations, figures }: Findings,
): Promise<void> {
  const { rows } = await context.database.query<DeliveryRow>(
    `SELECT d.event_id, d.webhook_id, d.status, d.attempt_count AS attempts, (coalesce(a.recorded, 0) + (d.first_started_at IS NOT NULL)::int)::int AS recorded,
       (d.status = 'PENDING' AND d.next_attempt_at IS NOT NULL OR d.status = 'HELD' OR d.status = 'FAILED' AND d.automatic_count = 8) AS is_waiting
     FROM deliveries d LEFT JOIN (
       SELECT environment, delivery_id, count(*) AS recorded FROM delivery_attempts WHERE tenant_id = $1 GROUP BY environment, delivery_id
     ) a ON a.environment = d.environment AND a.delivery_id = d.id
     WHERE d.tenant_id = $1`,
    [context.tenantId],
  );
  for (const row of rows) {
    if (row.attempts !== row.recorded)
      violations.push(
        `a delivery of ${row.event_id} counts ${row.attempts} attempts and has ${row.recorded}`,
      );
    if (row.status !== "DELIVERED" && !row.is_waiting)
      violations.push(`a delivery of ${row.event_id} is ${row.status} and will never be sent`);
  }
  for (const subscription of context.subscriptions)
    checkSubscription(subscription, events, rows, { violations, figures });

  const healthy = context.subscriptions.filter(({ isHealthy }) => isHealthy);
  const counts = healthy.flatMap(({ receiver }) =>
    [...receiver.received.values()].map(({ count }) => count),
  );
  figures["deliveries received by healthy receivers"] = counts.length;
  figures["of them more than once"] = counts.filter((times) => times > 1).length;
}

function checkSubscription(
  subscription: Subscription,
  events: StoredEvent[],
  rows: DeliveryRow[],
  { violations, figures }: Findings,
): void {
  const { webhookId, name, isHealthy, wants, receiver } = subscription;
  const own = rows.filter((row) => row.webhook_id === webhookId);
  // A webhook is not notified that it was disabled itself.
  const wanted = events.filter(
    ({ type, objectId }) => wants(type) && !(type === "webhook.disabled" && objectId === webhookId),
  );
  const difference = compare(
    own.map(({ event_id }) => event_id),
    wanted.map(({ id }) => id),
  );
  for (const id of difference.missing)
    violations.push(`${id} has no delivery to the ${name} receiver`);
  for (const id of difference.added)
    violations.push(`${id} has a delivery to the ${name} receiver too many`);

  const digests = new Map(events.map(({ id, digest }) => [id, digest]));
  for (const [id, { digest }] of receiver.received)
    if (digests.get(id) !== digest)
      violations.push(`${id} arrived with other bytes than were stored`);
  for (const violation of receiver.violations)
    violations.push(`the ${name} receiver: ${violation}`);
  for (const { event_id, status } of own) {
    const hasArrived = receiver.received.has(event_id);
    if (status === "DELIVERED" && !hasArrived)
      violations.push(`${event_id} is DELIVERED and never came to the ${name} receiver`);
    if (isHealthy && !hasArrived)
      violations.push(`${event_id} never came to the ${name} receiver, which is well`);
  }
  const byStatus = groupBy(own, ({ status }) => status);
  figures[`deliveries to the ${name} receiver`] = [...byStatus]
    .map(([status, list]) => `${list.length} ${status}`)
    .join(", ");
}

/** Each document is ready or has an error code, has raised one event for it, and has its file. */
async function checkDocuments(
  { database, tenantId, directory }: Context,
  { violations, figures }: Findings,
): Promise<void> {
  const { rows } = await database.query<{
    id: string;
    status: string;
    error_code: string | null;
    blob_key: string;
    told: string[];
  }>(
    `SELECT d.id, d.status, d.error_code, d.blob_key, array_remove(array_agg(e.type), NULL) AS told FROM documents d
     LEFT JOIN events e ON e.tenant_id = d.tenant_id AND e.environment = d.environment
       AND e.type IN ('document.ready', 'document.failed') AND e.payload::json #>> '{data,object,id}' = d.id
     WHERE d.tenant_id = $1 GROUP BY d.tenant_id, d.environment, d.id`,
    [tenantId],
  );
  for (const { id, status, error_code, blob_key, told } of rows) {
    const isDone = status === "READY" || (status === "FAILED" && error_code !== null);
    if (!isDone) violations.push(`document ${id} is ${status}, with the reason ${error_code}`);
    if (told.join() !== `document.${status.toLowerCase()}`)
      violations.push(`document ${id} is ${status}, and its events were: ${told.join()}`);
    if (!existsSync(path.join(directory, "blobs/kept", blob_key)))
      violations.push(`document ${id} has lost its file`);
  }
  const byStatus = groupBy(rows, ({ status }) => status);
  figures.documents = [...byStatus].map(([status, list]) => `${list.length} ${status}`).join(", ");
}

/** Repeats every change that had an idempotency key. */
async function checkReplays(
  { client, history }: Context,
  { violations, figures }: Findings,
): Promise<void> {
  const queue = [...history.acknowledged];
  let different = 0;
  const replaying = Array.from({ length: replaysAtOnce }, async () => {
    for (let next = queue.pop(); next; next = queue.pop()) {
      const { request, response } = next;
      const again = await client.insist(request);
      if (again.isReplay && again.status === response.status && again.text === response.text)
        continue;
      different += count(
        violations,
        `the replay of ${request.key} got ${again.status} ${again.text} instead of ${response.text}`,
      );
    }
  });
  await Promise.all(replaying);
  Object.assign(figures, {
    replays: history.acknowledged.length,
    "of them with other bytes": different,
  });
}

/** The audit log is one chain, with one entry for each webhook that was created or deleted. */
async function checkAudit(
  { database, tenantId, history, subscriptions, verifyAudit }: Context,
  { violations, figures }: Findings,
) {
  const { entries, broken } = verifyAudit();
  if (broken) violations.push(`entry ${broken.sequence} of the audit log: ${broken.reason}`);
  const { rows } = await database.query<{ action: string; target_id: string }>(
    "SELECT action, target_id FROM audit_entries WHERE tenant_id = $1 AND action IN ('webhook.created', 'webhook.deleted')",
    [tenantId],
  );
  const targetsOf = (action: string) =>
    rows.filter((row) => row.action === action).map((row) => row.target_id);
  const deleted = [...history.deletedWebhooks];
  const made = [...subscriptions.map(({ webhookId }) => webhookId), ...deleted];
  for (const [action, ids] of Object.entries({
    "webhook.created": made,
    "webhook.deleted": deleted,
  })) {
    const difference = compare(targetsOf(action), ids);
    for (const id of [...difference.added, ...difference.missing])
      violations.push(`the audit log is wrong about ${action} of ${id}`);
  }
  figures["entries of the audit log, one chain"] = entries;
}

function count(violations: string[], violation: string): 1 {
  violations.push(violation);
  return 1;
}

function groupBy<Item>(items: Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}

/** As multisets. */
function compare(actual: string[], expected: string[]): { added: string[]; missing: string[] } {
  const balance = new Map<string, number>();
  for (const item of actual) balance.set(item, (balance.get(item) ?? 0) + 1);
  for (const item of expected) balance.set(item, (balance.get(item) ?? 0) - 1);
  const where = (sign: 1 | -1) =>
    [...balance].filter(([, difference]) => difference * sign > 0).map(([item]) => item);
  return { added: where(1), missing: where(-1) };
}
