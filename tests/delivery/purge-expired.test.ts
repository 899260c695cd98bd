import { expect, test } from "vitest";
import { db } from "@/lib/db";
import { newId } from "@/lib/ids";
import { purgeExpired } from "@/lib/jobs/purge-expired";
import type { DeliveryStatus } from "@/prisma/generated/enums";
import { newTenant } from "../support/api";

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);

test("what is older than it is kept goes, the rest stays, and what is still to be sent stays longest", async () => {
  const { identity } = await newTenant();
  const { partition } = identity;
  const at = daysAgo(31);
  const webhook = { ...partition, id: newId("webhook"), url: "https://example.com/", events: ["*"], createdAt: at, updatedAt: at };
  await db().webhook.create({ data: webhook });
  const event = async (createdAt: Date, status?: DeliveryStatus) => {
    const id = newId("event");
    await db().event.create({ data: { ...partition, id, type: "webhook.test", payload: "{}", createdAt } });
    if (!status) return id;
    const delivery = { webhookId: webhook.id, eventId: id, eventType: "webhook.test", status, createdAt, updatedAt: createdAt };
    await db().delivery.create({ data: { ...partition, id: newId("delivery"), ...delivery } });
    return id;
  };
  const kept = [await event(daysAgo(29)), await event(daysAgo(31), "PENDING"), await event(daysAgo(29), "DELIVERED")];
  await event(daysAgo(31));
  await event(daysAgo(31), "HELD");
  await event(daysAgo(40), "DELIVERED");
  const record = (key: string, expiresAt: Date) => ({
    ...partition,
    key,
    fingerprint: new Uint8Array(32),
    status: 200,
    body: "",
    createdAt: at,
    expiresAt,
  });
  await db().idempotencyRecord.createMany({ data: [record("old", daysAgo(0.01)), record("new", daysAgo(-0.01))] });

  while ((await purgeExpired(2)) === 2);

  const events = await db().event.findMany({ where: partition, orderBy: { id: "asc" } });
  expect(events.map(({ id }) => id)).toEqual(kept);
  expect((await db().delivery.findMany({ where: partition, orderBy: { id: "asc" } })).map(({ eventId }) => eventId)).toEqual(kept.slice(1));
  expect((await db().idempotencyRecord.findMany({ where: partition })).map(({ key }) => key)).toEqual(["new"]);
  // These payloads are no real ones.
  await db().event.deleteMany({ where: partition });
});
