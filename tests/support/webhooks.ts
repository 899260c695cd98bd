import { firstAttemptOf, type StoredAttempt } from "@/lib/deliveries/first-attempt";
import { recordEvent } from "@/lib/events/record-event";
import { type DeliveryReference, mutate, type Partition, system } from "@/lib/platform/caller";
import { db, pool } from "@/lib/platform/db";
import { setCurrentTime } from "@/lib/platform/time";
import { newId } from "@/lib/resources/ids";
import { createTenant } from "@/lib/tenants/service";
import type { CreateWebhook, UpdateWebhook } from "@/lib/webhooks/schema";
import { createWebhook, updateWebhook } from "@/lib/webhooks/service";

export async function newPartition(
  environment: Partition["environment"] = "test",
): Promise<Partition> {
  const { id } = await createTenant(db(), { name: "Delivery" });
  return { tenantId: id, environment };
}

/** A webhook for all events, in a new tenant unless one is given. */
export async function newWebhook(
  url: string,
  partition?: Partition,
  options: Partial<CreateWebhook> = {},
) {
  const home = partition ?? (await newPartition());
  const { id, secret } = await mutate(system(home), (caller) =>
    createWebhook(caller, { url, events: ["*"], metadata: {}, description: null, ...options }),
  );
  return { partition: home, id, secret };
}

export type TestWebhook = Awaited<ReturnType<typeof newWebhook>>;

export const patchWebhook = ({ partition, id }: TestWebhook, patch: UpdateWebhook) =>
  mutate(system(partition), (caller) => updateWebhook(caller, id, patch));

/** Raises one event the way a service does. Returns the deliveries it made. */
export function raiseEvent(partition: Partition) {
  return mutate(system(partition), async (caller) => {
    await recordEvent(
      caller,
      "message.received",
      { id: newId("message"), text: "Grüße" },
      { conversation: null },
    );
    return [...caller.outbox];
  });
}

/** The same for the message with this sequence of a conversation. Returns the first delivery. */
export async function raiseMessage(
  partition: Partition,
  conversationId: string,
  sequence: number,
): Promise<DeliveryReference> {
  const [delivery] = await mutate(system(partition), async (caller) => {
    const object = { id: newId("message"), conversationId, sequence, text: "Grüße" };
    await recordEvent(caller, "message.received", object, { conversation: null });
    return [...caller.outbox];
  });
  if (!delivery) throw new Error("the event reached no webhook");
  return delivery;
}

const backlogBatch = 10_000;

/**
 * Raises many in one statement, all due since `dueAt`, for one webhook, and has PostgreSQL learn of them, as
 * the worker would. Does not wake the worker. Returns the deliveries.
 */
export async function raiseBacklog(
  partition: Partition,
  webhookId: string,
  count: number,
  dueAt: Date,
): Promise<DeliveryReference[]> {
  const { tenantId, environment } = partition;
  const text = `
    WITH number AS (SELECT i, $5::text || lpad(i::text, 8, '0') AS suffix FROM generate_series($7::int, $4::int) i),
    event AS (
      INSERT INTO events (tenant_id, environment, id, type, payload, created_at)
      SELECT $1, $2::"Environment", 'evt_' || suffix, 'message.received', json_build_object('number', i)::text, $6 FROM number RETURNING id
    )
    INSERT INTO deliveries (tenant_id, environment, id, webhook_id, event_id, event_type, status, next_attempt_at, created_at, updated_at)
    SELECT $1, $2::"Environment", 'dlv_' || suffix, $3, 'evt_' || suffix, 'message.received', 'PENDING', $6, $6, $6 FROM number
    RETURNING id`;
  const prefix = newId("event").slice(4, 22);
  const raised: DeliveryReference[] = [];
  // In batches, each well below the timeout of a statement.
  for (let first = 1; first <= count; first += backlogBatch) {
    const last = Math.min(count, first + backlogBatch - 1);
    const values = [tenantId, environment, webhookId, last, prefix, dueAt, first];
    const { rows } = await pool().query<{ id: string }>(text, values);
    raised.push(...rows.map(({ id }) => ({ ...partition, id })));
  }
  await pool().query("ANALYZE events, deliveries, delivery_attempts, webhooks");
  return raised;
}

export function findWebhook({ tenantId, environment }: Partition, id: string) {
  return db().webhook.findUniqueOrThrow({
    where: { tenantId_environment_id: { tenantId, environment, id } },
  });
}

export async function attemptsOf(
  { tenantId, environment }: Partition,
  deliveryId: string,
): Promise<StoredAttempt[]> {
  const delivery = await db().delivery.findUnique({
    where: { tenantId_environment_id: { tenantId, environment, id: deliveryId } },
  });
  const first = delivery && firstAttemptOf(delivery);
  const others = await db().deliveryAttempt.findMany({
    where: { tenantId, environment, deliveryId },
    orderBy: { number: "asc" },
  });
  return [...(first ? [first] : []), ...others];
}

/** How many attempts are stored: in rows of their own, and in their deliveries. */
export async function countAttempts(where: Partition | { webhookId: string }): Promise<number> {
  const ofDelivery = "webhookId" in where ? { delivery: where } : where;
  const [rows, first] = await Promise.all([
    db().deliveryAttempt.count({ where: ofDelivery }),
    db().delivery.count({ where: { ...where, firstStartedAt: { not: null } } }),
  ]);
  return rows + first;
}

export function findDelivery({ tenantId, environment }: Partition, id: string) {
  return db().delivery.findUniqueOrThrow({
    where: { tenantId_environment_id: { tenantId, environment, id } },
  });
}

/** A webhook for all events, and the delivery of its first event. */
export async function newDelivery(url: string) {
  const webhook = await newWebhook(url);
  const [delivery] = await raiseEvent(webhook.partition);
  if (!delivery) throw new Error("the event reached no webhook");
  return { webhook, delivery };
}

/** How many deliveries of a webhook have each status: `{ PENDING: 3 }`. */
export async function countByStatus(
  { tenantId, environment }: Partition,
  webhookId: string,
): Promise<Record<string, number>> {
  const groups = await db().delivery.groupBy({
    by: ["status"],
    where: { tenantId, environment, webhookId },
    _count: true,
  });
  return Object.fromEntries(groups.map(({ status, _count }) => [status, _count]));
}

/** A clock that shows the time it was set to. `release` restores the clock of the database. */
export function virtualClock(start = new Date("2030-01-01T00:00:00.000Z")) {
  let now = start;
  setCurrentTime(() => now);
  return {
    now: () => now,
    minutesAgo: (minutes: number) => new Date(now.getTime() - minutes * 60_000),
    advance: (seconds: number) => {
      now = new Date(now.getTime() + Math.ceil(seconds * 1000));
    },
    advanceTo: (time: Date) => {
      if (time > now) now = time;
    },
    release: () => setCurrentTime(null),
  };
}

export type VirtualClock = ReturnType<typeof virtualClock>;
