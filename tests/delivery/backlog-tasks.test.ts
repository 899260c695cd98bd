import { afterEach, beforeEach, expect, test } from "vitest";
import { workOffBacklog } from "@/lib/deliveries/engine/work-off-backlog";
import { recoverDeliveries } from "@/lib/deliveries/service";
import { mutate, system } from "@/lib/platform/caller";
import { db, pool } from "@/lib/platform/db";
import { deleteWebhook } from "@/lib/webhooks/service";
import { newWebhook, raiseBacklog, type VirtualClock, virtualClock } from "../support/webhooks";

let clock: VirtualClock;
beforeEach(() => {
  clock = virtualClock();
});
afterEach(() => clock.release());

type TestWebhook = Awaited<ReturnType<typeof newWebhook>>;

/** A webhook with failed deliveries. */
async function failingWebhook(): Promise<TestWebhook> {
  const webhook = await newWebhook("http://127.0.0.1:9/");
  await raiseBacklog(webhook.partition, webhook.id, 3, clock.now());
  const data = { status: "FAILED" as const, nextAttemptAt: null };
  await db().delivery.updateMany({ where: { webhookId: webhook.id }, data });
  return webhook;
}

const recover = ({ partition, id }: TestWebhook) =>
  mutate(system(partition), (caller) =>
    recoverDeliveries(caller, id, { since: new Date(0), until: undefined, dryRun: false }),
  );

const remove = ({ partition, id }: TestWebhook) =>
  mutate(system(partition), (caller) => deleteWebhook(caller, id));

const statusesOf = async ({ id }: TestWebhook) =>
  (await db().delivery.findMany({ where: { webhookId: id } })).map(({ status }) => status);

/** From now on, no delivery of these webhooks can change. */
const refuse = (webhooks: readonly TestWebhook[]) =>
  pool().query(`
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF OLD.webhook_id IN (${webhooks.map(({ id }) => `'${id}'`)}) THEN RAISE EXCEPTION 'refused by the test'; END IF;
      RETURN coalesce(NEW, OLD);
    END $$;
    CREATE TRIGGER refuse BEFORE UPDATE OR DELETE ON deliveries FOR EACH ROW EXECUTE FUNCTION refuse()`);

test("tasks that always fail hold up no others, however many there are", async () => {
  const bad: TestWebhook[] = [];
  for (let count = 0; count < 8; count++) bad.push(await failingWebhook());
  const [recovered, deleted] = [await failingWebhook(), await failingWebhook()];
  await refuse(bad);
  for (const [index, webhook] of bad.entries()) await (index % 2 ? recover : remove)(webhook);
  await recover(recovered);
  await remove(deleted);

  expect(await workOffBacklog(500)).toBe(6);
  expect(await statusesOf(recovered)).toEqual(["PENDING", "PENDING", "PENDING"]);
  expect(await statusesOf(deleted)).toEqual([]);
  // The failed ones are tried again later.
  expect(await db().backlogTask.count({ where: { webhookId: { in: bad.map((b) => b.id) } } })).toBe(
    8,
  );
  expect(await workOffBacklog(500)).toBe(0);
});
