import { deliveryIdsOf } from "@/lib/events/delivery-ids";
import type { Caller } from "@/lib/platform/caller";
import { readRows, runSql } from "@/lib/platform/db";
import { firstIdAt } from "@/lib/resources/ids";
import { toPage } from "@/lib/resources/pages";
import type { DeliveryStatus } from "@/prisma/generated/enums";
import { maximumCounted } from "./backlog";
import { deliveriesOfMessagesStatement } from "./of-messages.sql";
import type { Delivery, SearchDeliveries } from "./schema";
import { searchDeliveriesStatement } from "./search.sql";

/**
 * A delivery as a list shows it. `statusCode` and `errorCode` are its last attempt's; both null
 * before the first one.
 */
export type FoundDelivery = Pick<
  Delivery,
  "id" | "webhookId" | "eventId" | "eventType" | "status" | "attemptCount"
> & {
  nextAttemptAt: Date | null;
  createdAt: Date;
  statusCode: number | null;
  errorCode: string | null;
};

/**
 * For the dashboard: deliveries of one webhook, newest first, with more filters than the API has.
 */
export async function searchDeliveries(caller: Caller, webhookId: string, query: SearchDeliveries) {
  const statement = searchDeliveriesStatement(caller.partition, webhookId, query);
  const rows = await readRows<FoundDelivery>(statement, caller);
  return toPage(rows, query.limit, (row) => row);
}

/** The deliveries before and after one in the results of a search; null at the end. */
export async function neighborsOfDelivery(
  caller: Caller,
  webhookId: string,
  id: string,
  query: SearchDeliveries,
) {
  const next = async (order: "asc" | "desc") => {
    const { data } = await searchDeliveries(caller, webhookId, {
      ...query,
      cursor: id,
      limit: 1,
      order,
    });
    return data[0]?.id ?? null;
  };
  const [newer, older] = await Promise.all([next("asc"), next("desc")]);
  return { newer, older };
}

/** The deliveries of events, with the URLs of their webhooks, oldest first. */
export async function deliveriesOfEvents({ db, partition }: Caller, eventIds: string[]) {
  return db.delivery.findMany({
    where: {
      ...partition,
      id: deliveryIdsOf(eventIds),
      eventId: { in: eventIds },
      webhook: { deletedAt: null },
    },
    orderBy: { id: "asc" },
    select: {
      id: true,
      eventId: true,
      status: true,
      attemptCount: true,
      nextAttemptAt: true,
      webhook: { select: { id: true, url: true } },
    },
  });
}

export type MessageDelivery = {
  messageId: string;
  id: string;
  status: DeliveryStatus;
  attemptCount: number;
  webhookId: string;
  url: string;
};

/** A message and its event are written at the same time, by one process. */
const beforeMessageMs = 250;
const afterMessageMs = 1_500;

/** The deliveries of replies that were posted, by message. Those without one are left out. */
export async function deliveriesOfMessages(
  { partition }: Caller,
  messages: { id: string; createdAt: string }[],
): Promise<Map<string, MessageDelivery[]>> {
  if (messages.length === 0) return new Map();
  const idAround = (at: string, offsetMs: number) =>
    firstIdAt("event", new Date(Date.parse(at) + offsetMs));
  const rows = await runSql<MessageDelivery>(
    deliveriesOfMessagesStatement({
      ...partition,
      ids: messages.map(({ id }) => id),
      afterIds: messages.map(({ createdAt }) => idAround(createdAt, -beforeMessageMs)),
      beforeIds: messages.map(({ createdAt }) => idAround(createdAt, afterMessageMs)),
    }),
  );
  const found = new Map<string, MessageDelivery[]>();
  for (const row of rows) found.set(row.messageId, [...(found.get(row.messageId) ?? []), row]);
  return found;
}

/**
 * How many deliveries wait for their next attempt, and how many are held, counted up to
 * `maximumCounted + 1`; and the job that already works through the held ones, if any.
 */
export async function countUnsent({ db, partition }: Caller, webhookId: string) {
  const count = (status: "PENDING" | "HELD") =>
    db.delivery.count({ where: { ...partition, webhookId, status }, take: maximumCounted + 1 });
  const [pending, held] = await Promise.all([count("PENDING"), count("HELD")]);
  // A job sends or discards them little by little, and needs no further decision.
  const task =
    held > 0
      ? await db.backlogTask.findFirst({
          where: { ...partition, webhookId, action: { in: ["RESUME", "DISCARD"] } },
          select: { action: true },
        })
      : null;
  return { pending, held, heldTask: task?.action ?? null };
}

/** When the oldest held delivery was created; null if none is held. */
export async function oldestHeld(
  { db, partition }: Caller,
  webhookId: string,
): Promise<Date | null> {
  const where = { ...partition, webhookId, status: "HELD" as const };
  const found = await db.delivery.findFirst({
    where,
    orderBy: { id: "asc" },
    select: { createdAt: true },
  });
  return found?.createdAt ?? null;
}
