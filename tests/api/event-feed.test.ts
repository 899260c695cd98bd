import { expect, test } from "vitest";
import { db, pool } from "@/lib/platform/db";
import { newId } from "@/lib/resources/ids";
import { purgeExpired } from "@/lib/retention/purge-expired";
import { runAdmin } from "../support/admin";
import { call, newTenant, type TestTenant } from "../support/api";
import { feedShowsAll, holdCustomer, positions } from "../support/feed";
import { dropAllWeeks } from "../support/partitions";

const idsOf = async (tenant: TestTenant, query: string): Promise<string[]> =>
  (await call(tenant, "GET", `/events?${query}`)).body.data.map(({ id }: { id: string }) => id);

const addCustomer = (tenant: TestTenant, name: string) =>
  call(tenant, "POST", "/customers", { name });

test("200 an ascending feed shows no event ahead of one that is still being committed, and misses neither", async () => {
  const tenant = await newTenant();
  await addCustomer(tenant, "First");
  await feedShowsAll(tenant);
  const [first] = await idsOf(tenant, "order=asc");

  const commit = await holdCustomer(tenant, "Slow");
  await addCustomer(tenant, "Quick");
  expect(await idsOf(tenant, `order=asc&cursor=${first}`)).toEqual([]);
  // People read newest first, and want to see an event immediately.
  expect(await idsOf(tenant, "")).toHaveLength(2);

  await commit();
  await feedShowsAll(tenant);
  const all = await positions(tenant);
  expect(all).toHaveLength(3);
  expect(await idsOf(tenant, `order=asc&cursor=${first}`)).toEqual(all.slice(1));
  expect(await idsOf(tenant, "")).toEqual(all.toReversed());
  expect(await idsOf(tenant, `order=asc&type=customer.created&cursor=${all[1]}`)).toEqual(
    all.slice(2),
  );
});

test("200 an event with an older id than the cursor that is committed later comes after the cursor", async () => {
  const since = new Date(Date.now() - 60_000).toISOString();
  const tenant = await newTenant();
  // The id is created before the statement that writes it: here a complete transaction of another writer
  // fits in between.
  const olderId = newId("event");
  await addCustomer(tenant, "Between");
  await feedShowsAll(tenant);
  const [cursor] = await idsOf(tenant, "order=asc");
  expect((cursor ?? "") > olderId).toBe(true);
  const { payload } = await db().event.findFirstOrThrow({ where: { tenantId: tenant.tenantId } });
  const late = payload.replace(cursor ?? "", olderId);
  await db().event.create({
    data: {
      ...tenant.identity.partition,
      id: olderId,
      type: "customer.created",
      payload: late,
      createdAt: new Date(),
    },
  });
  await feedShowsAll(tenant);

  expect(await idsOf(tenant, `order=asc&cursor=${cursor}`)).toEqual([olderId]);
  expect(await idsOf(tenant, `cursor=${olderId}`)).toEqual([cursor]);
  expect(await idsOf(tenant, `order=asc&since=${since}`)).toEqual([cursor, olderId]);
});

test("200 a cursor keeps its position after its event was purged, also among remaining events", async () => {
  await dropAllWeeks();
  const tenant = await newTenant();
  for (const name of ["A", "B", "C", "D"]) await addCustomer(tenant, name);
  await feedShowsAll(tenant);
  const [a, b, c, d] = (await positions(tenant)) as [string, string, string, string];
  await db().event.updateMany({
    where: { tenantId: tenant.tenantId, id: { in: [b, c] } },
    data: { expiresAt: new Date(0) },
  });
  await purgeExpired(1_000);

  expect(await idsOf(tenant, "order=asc")).toEqual([a, d]);
  expect(await idsOf(tenant, `order=asc&cursor=${b}`)).toEqual([d]);
  expect(await idsOf(tenant, `cursor=${c}`)).toEqual([a]);
  expect(await idsOf(tenant, `order=asc&cursor=${d}`)).toEqual([]);
});

test("events of a restored dump come before new ones once they are rebased, and doctor asks for it", async () => {
  const tenant = await newTenant();
  for (const name of ["A", "B"]) await addCustomer(tenant, name);
  const [a, b] = (await positions(tenant)) as [string, string];
  await pool().query("UPDATE events SET xact = '9000000000000'::xid8 WHERE tenant_id = $1", [
    tenant.tenantId,
  ]);
  expect((await runAdmin(["doctor"])).output).toMatch(
    /WRONG {2}event feed: .* `npm run admin -- events:rebase`/,
  );

  expect((await runAdmin(["events:rebase"])).exitCode).toBe(0);
  await addCustomer(tenant, "C");
  await feedShowsAll(tenant);
  const ids = await idsOf(tenant, "order=asc");
  expect(ids).toEqual([a, b, (await idsOf(tenant, ""))[0]]);
  expect(await idsOf(tenant, `order=asc&cursor=${b}`)).toEqual(ids.slice(2));
  expect((await runAdmin(["doctor"])).output).toMatch(/ok {5}event feed: in order/);
});

test("422 is the same for a cursor of another tenant, of the other environment, and of no event", async () => {
  const [tenant, stranger] = await Promise.all([newTenant(), newTenant()]);
  await Promise.all([addCustomer(tenant, "Ours"), addCustomer(stranger, "Theirs")]);
  const [theirs] = await idsOf(stranger, "");
  for (const cursor of [
    theirs,
    newId("event"),
    "evt_00000000000000000000000000",
    "evt_7ZZZZZZZZZZZZZZZZZZZZZZZZZ",
  ]) {
    for (const order of ["asc", "desc"]) {
      const { status, body } = await call(tenant, "GET", `/events?order=${order}&cursor=${cursor}`);
      expect([status, body.type.split("/").at(-1), body.errors]).toEqual([
        422,
        "invalid-cursor",
        [expect.objectContaining({ pointer: "/cursor", location: "query" })],
      ]);
    }
  }
});
