import { afterEach, expect, test } from "vitest";
import { warnOfExpiringKeys } from "@/lib/api-keys/warn-of-expiring-keys";
import { openMail } from "@/lib/mail/service";
import { db, pool } from "@/lib/platform/db";
import { setCurrentTime } from "@/lib/platform/time";
import { newId } from "@/lib/resources/ids";
import { newMember, newOrganization } from "../support/people";

afterEach(() => setCurrentTime(null));

const dayMs = 86_400_000;
const end = Date.parse("2026-06-30T12:00:00.000Z");
const daysBefore = (days: number) => new Date(end - days * dayMs);

type Change = { createdAt?: Date; expiresAt?: Date; revokedAt?: Date; replacedById?: string };

async function newKey(change: Change = {}) {
  const { tenant, owner } = await newOrganization();
  await newMember(tenant.id, "MEMBER");
  const key = {
    name: "Backend",
    hash: new Uint8Array(Buffer.from(newId("apiKey"))),
    hint: "prl_live_…abcd",
    scopes: [],
    allowedIps: [],
  };
  const times = { createdAt: daysBefore(90), expiresAt: new Date(end) };
  await db().apiKey.create({
    data: {
      tenantId: tenant.id,
      environment: "live",
      id: newId("apiKey"),
      ...key,
      ...times,
      ...change,
    },
  });
  const mails = () =>
    db().mail.findMany({ where: { recipient: owner.email }, orderBy: { id: "asc" } });
  return { tenant, owner, mails };
}

async function tellAt(at: Date) {
  setCurrentTime(() => at);
  while ((await warnOfExpiringKeys(2)) >= 2);
}

test("owners and admins are notified a week before and a day before, once each, and at no other time", async () => {
  const { tenant, mails } = await newKey();
  const admin = await newMember(tenant.id, "ADMIN");
  const counts = [];
  for (const days of [8, 7.01, 7, 6.9, 3, 1.01, 1, 0.5, 0, -1]) {
    await tellAt(daysBefore(days));
    counts.push((await mails()).length);
  }
  expect(counts).toEqual([0, 0, 1, 1, 1, 1, 2, 2, 2, 2]);
  expect(await db().mail.count({ where: { recipient: admin.email } })).toBe(2);
  expect(await db().mail.count()).toBe(4);

  const [first] = await mails();
  const written = first && openMail(first);
  expect(written?.subject).toBe("An API key expires soon");
  expect(written?.text).toContain("“Backend” (prl_live_…abcd) of ");
  expect(written?.text).toContain(`/${tenant.slug}/live/api-keys`);
});

test("after a pause of the service only the warning that is due now is sent", async () => {
  const { mails } = await newKey();
  await tellAt(daysBefore(0.5));
  expect(await mails()).toHaveLength(1);
});

test.each([
  ["revoked", { revokedAt: daysBefore(20) }],
  ["rolled", { replacedById: "key_1" }],
  ["made for a week", { createdAt: daysBefore(7) }],
  ["without an end", { expiresAt: undefined }],
] satisfies [string, Change][])(
  "no one is notified of a key that was %s",
  async (title, change) => {
    const { mails } = await newKey(
      title === "without an end"
        ? { createdAt: daysBefore(90), expiresAt: new Date("2999-01-01") }
        : change,
    );
    await tellAt(daysBefore(6));
    expect(await mails()).toEqual([]);
  },
);

test("owners and admins are notified again after the expiry was postponed", async () => {
  const { tenant, mails } = await newKey();
  await tellAt(daysBefore(6));
  await db().apiKey.updateMany({
    where: { tenantId: tenant.id },
    data: { expiresAt: new Date(end + 30 * dayMs) },
  });
  await tellAt(daysBefore(5));
  expect(await mails()).toHaveLength(1);
  await tellAt(daysBefore(-25));
  expect(await mails()).toHaveLength(2);
});

test("a warning that cannot be queued holds up no other", async () => {
  const bad = await newKey({ expiresAt: new Date(end - 1_000) });
  const good = await newKey();
  await pool().query(`
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF NEW.recipient = '${bad.owner.email}' THEN RAISE EXCEPTION 'refused by the test'; END IF;
      RETURN NEW;
    END $$;
    CREATE TRIGGER refuse BEFORE INSERT ON mails FOR EACH ROW EXECUTE FUNCTION refuse()`);
  setCurrentTime(() => daysBefore(5));
  await warnOfExpiringKeys(1);
  await warnOfExpiringKeys(1);
  expect([(await bad.mails()).length, (await good.mails()).length]).toEqual([0, 1]);
});
