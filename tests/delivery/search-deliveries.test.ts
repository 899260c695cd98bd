import { afterEach, beforeEach, expect, test } from "vitest";
import { attemptsByHour } from "@/lib/deliveries/attempts-by-hour";
import { attemptDelivery } from "@/lib/deliveries/engine/attempt-delivery";
import { latencyOfWebhook } from "@/lib/deliveries/latency";
import {
  type ResponseClass,
  responseClasses,
  searchDeliveriesQuery,
} from "@/lib/deliveries/schema";
import {
  countUnsent,
  deliveriesOfEvents,
  neighborsOfDelivery,
  searchDeliveries,
} from "@/lib/deliveries/search";
import { searchDeliveriesStatement } from "@/lib/deliveries/search.sql";
import { searchEvents } from "@/lib/deliveries/search-events";
import { resendDelivery, sendTestEvent } from "@/lib/deliveries/service";
import { checkedPerPage } from "@/lib/deliveries/undelivered-events.sql";
import { searchEventsQuery } from "@/lib/events/schema";
import { type Caller, mutate, type Partition, reader, system } from "@/lib/platform/caller";
import { db, pool } from "@/lib/platform/db";
import { firstIdAt } from "@/lib/resources/ids";
import { type Receiver, type Respond, startReceiver } from "../support/receiver";
import { newPartition, newWebhook, raiseBacklog, raiseEvent } from "../support/webhooks";

let receiver: Receiver;
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(() => receiver.close());

const responses: Record<ResponseClass, Respond> = {
  "2xx": (response) => void response.writeHead(204).end(),
  "3xx": (response) => void response.writeHead(302, { location: "/elsewhere" }).end(),
  "4xx": (response) => void response.writeHead(404).end(),
  "5xx": (response) => void response.writeHead(503).end(),
  none: (response) => void response.socket?.destroy(),
};

const search = (
  { partition, id }: { partition: Partition; id: string },
  query: Record<string, string> = {},
) => searchDeliveries(reader(system(partition)), id, searchDeliveriesQuery.parse(query));

/** One delivery for each outcome, each tried once, and one that was never tried. */
async function newDeliveries() {
  const webhook = await newWebhook(receiver.url);
  const ids: string[] = [];
  for (const ending of responseClasses) {
    receiver.respond = responses[ending];
    const [delivery] = await raiseEvent(webhook.partition);
    if (!delivery) throw new Error("the event reached no webhook");
    await attemptDelivery(delivery);
    ids.push(delivery.id);
  }
  await raiseEvent(webhook.partition);
  return { webhook, ids };
}

test("deliveries are found by the outcome of their last attempt, also combined with every other filter", async () => {
  const { webhook, ids } = await newDeliveries();
  const endings = [
    { statusCode: 204, errorCode: null },
    { statusCode: 302, errorCode: null },
    { statusCode: 404, errorCode: null },
    { statusCode: 503, errorCode: null },
    { statusCode: null, errorCode: "connection_reset" },
  ];
  for (const [index, response] of responseClasses.entries()) {
    const { data } = await search(webhook, { response });
    expect(data).toMatchObject([{ id: ids[index], attemptCount: 1, ...endings[index] }]);
    expect((await search(webhook, { response, status: "DELIVERED" })).data).toHaveLength(
      response === "2xx" ? 1 : 0,
    );
    expect((await search(webhook, { response, eventType: "customer.created" })).data).toEqual([]);
  }
  expect((await search(webhook, {})).data).toHaveLength(6);
  expect(
    (await search(webhook, { status: "PENDING,DELIVERED", eventType: "message.received" })).data,
  ).toHaveLength(6);
});

test("pages and neighbors follow the filters, and another tenant's webhook has none", async () => {
  const { webhook, ids } = await newDeliveries();
  const caller = reader(system(webhook.partition));
  const failed = searchDeliveriesQuery.parse({ status: "PENDING", limit: "2" });
  const first = await searchDeliveries(caller, webhook.id, failed);
  expect(first.data.map(({ id }) => id).slice(1)).toEqual([ids[4]]);
  const second = await search(webhook, {
    status: "PENDING",
    limit: "2",
    cursor: first.nextCursor ?? "",
  });
  expect(second.data.map(({ id }) => id)).toEqual([ids[3], ids[2]]);

  expect(await neighborsOfDelivery(caller, webhook.id, ids[3] ?? "", failed)).toEqual({
    newer: ids[4],
    older: ids[2],
  });
  expect(await neighborsOfDelivery(caller, webhook.id, ids[1] ?? "", failed)).toEqual({
    newer: ids[2],
    older: null,
  });

  const stranger = await newPartition();
  expect((await search({ partition: stranger, id: webhook.id })).data).toEqual([]);
});

test("the list is bounded by times on both sides, to the minute as in the field of a browser", async () => {
  const { webhook } = await newDeliveries();
  const at = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();
  expect((await search(webhook, { since: at(-1), until: at(1) })).data).toHaveLength(6);
  expect((await search(webhook, { since: at(1) })).data).toEqual([]);
  expect((await search(webhook, { until: at(-1) })).data).toEqual([]);
  expect(
    (await search(webhook, { until: at(1).slice(0, 16), since: at(-2).slice(0, 16) })).data,
  ).toHaveLength(6);
  // A replay creates deliveries of earlier events.
  await db().delivery.updateMany({
    where: webhook.partition,
    data: { createdAt: new Date(Date.now() + 3_600_000) },
  });
  expect((await search(webhook, { since: at(-1), until: at(1) })).data).toHaveLength(6);
  for (const since of ["yesterday", "2026-02-31T10:00"])
    expect(searchDeliveriesQuery.safeParse({ since }).success).toBe(false);
});

test("attempts are counted by webhook and hour, and unsent deliveries by status", async () => {
  const { webhook } = await newDeliveries();
  const other = await newWebhook(receiver.url, webhook.partition);
  const caller = reader(system(webhook.partition));
  const now = new Date();
  const hours = await attemptsByHour(caller, [webhook.id, other.id], { now, hours: 24 });
  expect(hours.get(webhook.id)).toHaveLength(24);
  const sum = (id: string) =>
    (hours.get(id) ?? []).reduce(
      (total, hour) => ({
        attempts: total.attempts + hour.attempts,
        failures: total.failures + hour.failures,
      }),
      { attempts: 0, failures: 0 },
    );
  // An hour may have ended between the first attempt and the last; all of them are counted.
  expect(sum(webhook.id)).toEqual({ attempts: 5, failures: 4 });
  expect(sum(other.id)).toEqual({ attempts: 0, failures: 0 });
  expect(await countUnsent(caller, webhook.id)).toEqual({ pending: 5, held: 0, heldTask: null });
});

test("an event's deliveries name the webhooks they went to", async () => {
  const webhook = await newWebhook(receiver.url);
  const other = await newWebhook(`${receiver.url}/other`, webhook.partition);
  await raiseEvent(webhook.partition);
  const { data } = await search(webhook);
  const found = await deliveriesOfEvents(reader(system(webhook.partition)), [
    data[0]?.eventId ?? "",
  ]);
  expect(
    found.map((delivery) => delivery.webhook).toSorted((a, b) => a.id.localeCompare(b.id)),
  ).toEqual([
    { id: webhook.id, url: receiver.url },
    { id: other.id, url: `${receiver.url}/other` },
  ]);
});

test("a rare outcome among many deliveries is read from its own index", async () => {
  const webhook = await newWebhook(receiver.url);
  await raiseBacklog(webhook.partition, webhook.id, 5_000, new Date());
  await pool().query(
    "UPDATE deliveries SET response_class = 2, status = 'DELIVERED' WHERE webhook_id = $1",
    [webhook.id],
  );
  await pool().query("ANALYZE deliveries");
  const query = searchDeliveriesQuery.parse({ response: "5xx" });
  const { text, values } = searchDeliveriesStatement(webhook.partition, webhook.id, query);
  const { rows } = await pool().query(`EXPLAIN ${text}`, values);
  const { rows: indexes } = await pool().query<{ name: string }>(
    "SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'deliveries_response_class_idx'::regclass",
  );
  const plan = JSON.stringify(rows);
  expect(indexes.filter(({ name }) => plan.includes(name))).not.toEqual([]);
});

test("events that are not delivered are those with a delivery that has not succeeded, page by page in both orders", async () => {
  const { webhook } = await newDeliveries();
  const caller = reader(system(webhook.partition));
  const find = async (query: Record<string, string>) =>
    (await searchEvents(caller, searchEventsQuery.parse({ undelivered: "true", ...query }))).data;
  const all = (await searchEvents(caller, searchEventsQuery.parse({}))).data.map(({ id }) => id);
  const undelivered = (await find({})).map(({ id }) => id);
  // Of the outcomes, only 2xx is a success.
  expect(undelivered).toHaveLength(all.length - 1);
  expect(undelivered).toEqual(all.filter((id) => undelivered.includes(id)));

  const first = await find({ limit: "2" });
  const rest = await find({ limit: "100", cursor: first[1]?.id ?? "" });
  expect([...first, ...rest].map(({ id }) => id)).toEqual(undelivered);
  expect((await find({ order: "asc" })).map(({ id }) => id)).toEqual(undelivered.toReversed());
  expect(await find({ type: "customer.deleted" })).toEqual([]);
});

test("a rare type among many events that were not delivered is found page by page, in both orders", async () => {
  const webhook = await newWebhook(receiver.url);
  const other = await newWebhook(receiver.url, webhook.partition);
  const { tenantId, environment } = webhook.partition;
  const count = 3 * checkedPerPage;
  const startMs = Date.now() - 3_600_000;
  // Two events in each millisecond, for two webhooks in turn, and a rare type at both ends.
  const times = Array.from({ length: count }, (_, index) => startMs + Math.floor(index / 2));
  const suffixes = times.map(
    (ms, index) => firstIdAt("event", new Date(ms)).slice(4, 14) + String(index).padStart(16, "0"),
  );
  const isRare = (index: number) => index < 3 || index === count - 1;
  const types = times.map((_, index) => (isRare(index) ? "document.failed" : "message.received"));
  const webhooks = times.map((_, index) => (index % 3 === 0 ? other.id : webhook.id));
  const values = [tenantId, environment, suffixes, types, webhooks];
  await pool().query(
    `WITH new AS (SELECT * FROM unnest($3::text[], $4::text[], $5::text[]) AS n (suffix, type, webhook_id)),
    event AS (
      INSERT INTO events (tenant_id, environment, id, type, payload, created_at)
      SELECT $1, $2::"Environment", 'evt_' || suffix, type, json_build_object('id', 'evt_' || suffix)::text, now() FROM new
    )
    INSERT INTO deliveries (tenant_id, environment, id, webhook_id, event_id, event_type, status, created_at, updated_at)
    SELECT $1, $2::"Environment", 'dlv_' || suffix, webhook_id, 'evt_' || suffix, type, 'FAILED', now(), now() FROM new`,
    values,
  );
  const caller = reader(system(webhook.partition));
  const ids = suffixes.map((suffix) => `evt_${suffix}`);
  const expected = ids.filter((_, index) => isRare(index));

  const collect = async (query: Record<string, string>) => {
    const pages: string[][] = [];
    for (let cursor: string | undefined; pages.length < 500; ) {
      const parsed = searchEventsQuery.parse({
        undelivered: "true",
        ...query,
        ...(cursor && { cursor }),
      });
      const page = await searchEvents(caller, parsed);
      pages.push(page.data.map(({ id }) => id));
      cursor = page.nextCursor;
      if (!cursor) break;
    }
    return pages;
  };
  for (const order of ["asc", "desc"] as const) {
    const inOrder = (all: string[]) => (order === "asc" ? all : all.toReversed());
    const pages = await collect({ type: "document.failed", order });
    expect(pages.flat()).toEqual(inOrder(expected));
    expect(pages.length).toBeGreaterThan(1);
    expect((await collect({ order, limit: "100" })).flat()).toEqual(inOrder(ids));
  }
});

test("the latency of a webhook is that of its deliveries that succeeded at the first attempt", async () => {
  const { webhook } = await newDeliveries();
  const caller = reader(system(webhook.partition));
  expect(await latencyOfWebhook(caller, webhook.id)).toMatchObject({ count: 1 });
  await pool().query("UPDATE deliveries SET first_duration_ms = 40 WHERE webhook_id = $1", [
    webhook.id,
  ]);
  expect(await latencyOfWebhook(caller, webhook.id)).toMatchObject({ p50: 40, p95: 40 });
  const other = await newWebhook(receiver.url);
  expect(await latencyOfWebhook(reader(system(other.partition)), other.id)).toBeNull();
});

test("the latency of a webhook includes test events that succeeded, but no failed ones and no resends", async () => {
  const webhook = await newWebhook(receiver.url);
  const caller = reader(system(webhook.partition));
  const mutation = <Result>(run: (caller: Caller) => Promise<Result>) =>
    mutate(system(webhook.partition), run);
  const attempt = (id: string) => attemptDelivery({ ...webhook.partition, id });

  receiver.respond = responses["5xx"];
  const failed = await mutation((inside) => sendTestEvent(inside, webhook.id));
  await attempt(failed.id);
  expect(await latencyOfWebhook(caller, webhook.id)).toBeNull();

  receiver.respond = responses["2xx"];
  await mutation((inside) => resendDelivery(inside, webhook.id, failed.id));
  await attempt(failed.id);
  expect(await latencyOfWebhook(caller, webhook.id)).toBeNull();

  const succeeded = await mutation((inside) => sendTestEvent(inside, webhook.id));
  await attempt(succeeded.id);
  await pool().query("UPDATE delivery_attempts SET duration_ms = 30 WHERE delivery_id = $1", [
    succeeded.id,
  ]);
  expect(await latencyOfWebhook(caller, webhook.id)).toEqual({ count: 1, p50: 30, p95: 30 });
});
