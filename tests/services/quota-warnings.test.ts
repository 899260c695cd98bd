import { afterEach, beforeEach, expect, test } from "vitest";
import { openMail } from "@/lib/mail/service";
import {
  changeMutedNotifications,
  listNotifications,
  markNotificationsRead,
} from "@/lib/notifications/service";
import { mutate, reader } from "@/lib/platform/caller";
import { db } from "@/lib/platform/db";
import { env } from "@/lib/platform/env";
import { setCurrentTime } from "@/lib/platform/time";
import { warnOfQuotas } from "@/lib/storage/quota-warnings";
import { requireRoomForBytes } from "@/lib/storage/service";
import { changeAlertTarget } from "@/lib/webhooks/alerts";
import { sendAlerts } from "@/lib/webhooks/send-alerts";
import type { Environment, Plan } from "@/prisma/generated/enums";
import { later } from "../support/later";
import { as, newMember, newOrganization, type TestPerson } from "../support/people";
import { startReceiver } from "../support/receiver";

beforeEach(() => {
  Object.assign(env(), { SMTP_URL: "smtp://127.0.0.1:1", MAIL_FROM: "parlance@example.com" });
});
afterEach(() => {
  Object.assign(env(), { SMTP_URL: undefined, MAIL_FROM: undefined });
  setCurrentTime(null);
});

const gigabyte = 1_000_000_000;
const sentence = (percent: number) => `Storage reached ${percent}% of its quota`;

async function newTeam() {
  const { tenant, owner } = await newOrganization();
  const [admin, member] = await Promise.all([
    newMember(tenant.id, "ADMIN"),
    newMember(tenant.id, "MEMBER"),
  ]);
  return { tenant, owner, admin, member };
}

async function store(tenantId: string, bytes: number, environment: Environment = "live") {
  const where = { tenantId, environment };
  await db().storageDay.deleteMany({ where });
  await db().storageDay.createMany({
    data: ["2026-01-01", "2026-02-01"].map((day) => ({
      ...{ ...where, day: new Date(day), sizeBytes: bytes / 2 },
    })),
  });
}

async function runAt(time: string) {
  setCurrentTime(() => new Date(time));
  while ((await warnOfQuotas(2)) >= 2);
}

const sentencesOf = async (person: TestPerson, environment: Environment = "live") =>
  (await listNotifications(reader(as(person, environment)))).map((each) => each.sentence);
const mailsTo = async ({ email }: TestPerson) => {
  const where = { recipient: email, kind: "storage-quota" };
  const mails = await db().mail.findMany({ where, orderBy: { id: "asc" } });
  return mails.map((mail) => openMail(mail)?.text ?? "");
};

test("owners and admins are warned at 80% and at 100%, once a month each, and at no other time", async () => {
  const { tenant, owner, admin, member } = await newTeam();
  const steps: [time: string, share: number, mails: number][] = [
    ["2026-01-10T00:00:00Z", 0.79, 0],
    ["2026-01-11T00:00:00Z", 0.8, 1],
    ["2026-01-12T00:00:00Z", 0.99, 1],
    ["2026-01-13T00:00:00Z", 0.5, 1],
    ["2026-01-14T00:00:00Z", 0.9, 1],
    ["2026-01-15T00:00:00Z", 1, 2],
    ["2026-01-31T23:59:59Z", 1, 2],
    // In a new month, only the higher of the two.
    ["2026-02-01T00:00:00Z", 1, 3],
    ["2026-02-02T00:00:00Z", 0.85, 3],
    ["2026-03-01T00:00:00Z", 0.85, 4],
  ];
  for (const [time, share, mails] of steps) {
    await store(tenant.id, share * gigabyte);
    await runAt(time);
    expect([time, (await mailsTo(owner)).length]).toEqual([time, mails]);
  }
  const newest = [80, 100, 100, 80].map(sentence);
  expect(await sentencesOf(owner)).toEqual(newest);
  expect(await sentencesOf(admin)).toEqual(newest);
  expect(await mailsTo(admin)).toHaveLength(4);
  expect(await sentencesOf(member)).toEqual([]);
  expect(await mailsTo(member)).toEqual([]);
  expect(await sentencesOf(owner, "test")).toEqual([]);
  const [first, second] = await mailsTo(owner);
  expect(first).toContain("stores 800 MB of documents and files. That is 80% or more");
  expect(second).toContain("has used up its storage quota");
  expect(first).toContain(`/${tenant.slug}/live/usage`);
});

test("several workers at the same time warn once", async () => {
  const { tenant, owner } = await newTeam();
  await store(tenant.id, 0.9 * gigabyte, "test");
  setCurrentTime(() => new Date("2026-01-10T00:00:00Z"));
  await Promise.all(Array.from({ length: 8 }, () => warnOfQuotas(100)));
  expect(await mailsTo(owner)).toHaveLength(1);
  expect(await sentencesOf(owner, "test")).toEqual([sentence(80)]);
});

test("a full batch of warnings whose transactions fail does not hold up another one, and they are sent later", async () => {
  const [bad, worse, good] = [await newTeam(), await newTeam(), await newTeam()];
  for (const { tenant } of [bad, worse, good]) await store(tenant.id, 0.9 * gigabyte);
  // As if the process died before it committed.
  const condition = `kind <> 'QUOTA' OR tenant_id = '${good.tenant.id}'`;
  const fails = `ALTER TABLE notifications ADD CONSTRAINT dies CHECK (${condition}) NOT VALID`;
  await db().$executeRawUnsafe(fails);
  await runAt("2026-01-10T00:00:00Z");
  await db().$executeRawUnsafe("ALTER TABLE notifications DROP CONSTRAINT dies");
  const mails = () =>
    Promise.all([bad, worse, good].map(async ({ owner }) => (await mailsTo(owner)).length));
  expect(await mails()).toEqual([0, 0, 1]);
  await later(60_000, () => runAt("2026-01-10T00:01:00Z"));
  expect(await mails()).toEqual([1, 1, 1]);
});

test("another plan has thresholds of its own", async () => {
  const { tenant, owner } = await newTeam();
  const change = (plan: Plan) => db().tenant.update({ where: { id: tenant.id }, data: { plan } });
  await store(tenant.id, gigabyte);
  await runAt("2026-01-10T00:00:00Z");
  await change("PRO");
  await runAt("2026-01-11T00:00:00Z");
  expect(await sentencesOf(owner)).toEqual([sentence(100)]);
  await store(tenant.id, 8 * gigabyte);
  await runAt("2026-01-12T00:00:00Z");
  expect(await sentencesOf(owner)).toEqual([80, 100].map(sentence));
});

test("an upload that does not fit is a warning of 100%, once", async () => {
  const { tenant, owner } = await newTeam();
  setCurrentTime(() => new Date("2026-04-10T00:00:00Z"));
  await store(tenant.id, 0.99 * gigabyte, "test");
  const upload = () => mutate(as(owner), (caller) => requireRoomForBytes(caller, 0.02 * gigabyte));
  for (let count = 0; count < 3; count++)
    await expect(upload()).rejects.toMatchObject({ kind: "limit-reached" });
  await expect.poll(() => sentencesOf(owner, "test")).toEqual([sentence(100)]);
  await warnOfQuotas(100);
  expect(await sentencesOf(owner, "test")).toEqual([sentence(100)]);
  expect(await mailsTo(owner)).toHaveLength(1);
});

test("those who turned it off get none, the chat gets one, and opening the usage marks it as read", async () => {
  const { tenant, owner, admin } = await newTeam();
  const receiver = await startReceiver();
  await db().user.update({ where: { id: owner.id }, data: { emailVerifiedAt: new Date() } });
  await mutate(as(owner), (caller) => changeAlertTarget(caller, receiver.url));
  await mutate(as(owner), (caller) => changeMutedNotifications(caller, ["quota:dashboard"]));
  await mutate(as(admin), (caller) => changeMutedNotifications(caller, ["quota:mail"]));
  await store(tenant.id, 0.8 * gigabyte);
  const at = new Date();
  await runAt(at.toISOString());
  expect([await sentencesOf(owner), (await mailsTo(owner)).length]).toEqual([[], 1]);
  expect([await sentencesOf(admin), (await mailsTo(admin)).length]).toEqual([[sentence(80)], 0]);

  await sendAlerts(100);
  const texts = receiver.requests.map(({ body }) => (JSON.parse(body) as { text: string }).text);
  expect(texts.filter((text) => text.includes("storage quota"))).toHaveLength(1);
  await receiver.close();

  const unread = () => listNotifications(reader(as(admin, "live")), { isUnread: true });
  const [shown] = await unread();
  expect(shown).toMatchObject({ page: "usage", about: "The live environment" });
  await mutate(as(admin, "live"), (caller) => markNotificationsRead(caller, "conversations/cnv_1"));
  expect(await unread()).toHaveLength(1);
  await mutate(as(admin, "live"), (caller) => markNotificationsRead(caller, "usage"));
  expect(await unread()).toEqual([]);
});
