import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import type { Mail } from "@/lib/mail/mail-kinds";
import { mailRetrySchedule, sendMails } from "@/lib/mail/send-mails";
import { queueMail, queueMailToAdmins } from "@/lib/mail/service";
import { db } from "@/lib/platform/db";
import { setCurrentTime } from "@/lib/platform/time";
import { createAccount } from "@/lib/users/service";
import type { Role } from "@/prisma/generated/enums";
import { startMailServer } from "../support/mail-server";

const server = await startMailServer();
// The environment is parsed at the first call of env(), which comes later.
Object.assign(process.env, {
  SMTP_URL: server.url,
  MAIL_FROM: "Parlance <no-reply@parlance.example>",
});
afterAll(() => server.close());

let now = new Date("2026-03-01T08:00:00.000Z");
const passSeconds = (seconds: number) => {
  now = new Date(now.getTime() + seconds * 1_000);
};
beforeEach(async () => {
  setCurrentTime(() => now);
  await db().mail.deleteMany();
  server.mails.length = 0;
  server.refuseWith(null);
});
afterEach(() => setCurrentTime(null));

const link = "https://parlance.example/invite/the-token-in-the-link";
const invitation = (over: Partial<Extract<Mail, { kind: "invitation" }>> = {}): Mail => ({
  kind: "invitation",
  organization: "Engines",
  invitedBy: "Ada",
  role: "MEMBER",
  url: link,
  expiresAt: new Date("2026-03-08T08:00:00.000Z"),
  ...over,
});
const onlyMail = () => db().mail.findFirstOrThrow();

/** What a mail program shows of a MIME part. */
const decoded = (source: string) =>
  source
    .replaceAll(/=\r\n/g, "")
    .replaceAll(/=([0-9A-F]{2})/g, (_match, hex) => String.fromCharCode(Number.parseInt(hex, 16)));

test("a mail is sent once, as text and as HTML, and its content is not retained", async () => {
  await queueMail(db(), "grace@example.com", invitation());
  const { content } = await onlyMail();
  expect(content).not.toContain("token");

  expect(await sendMails(10)).toBe(1);
  expect(await sendMails(10)).toBe(0);

  expect(server.mails).toHaveLength(1);
  const [mail] = server.mails;
  expect(mail).toMatchObject({ from: "no-reply@parlance.example", to: ["grace@example.com"] });
  const source = decoded(mail?.source ?? "");
  expect(source).toContain("Subject: You are invited to an organization on Parlance");
  expect(source).toContain("Auto-Submitted: auto-generated");
  expect(source).toMatch(/Message-ID: <mail_[0-9A-Z]{26}@parlance\.example>/i);
  expect(source).toContain("text/plain");
  expect(source).toContain(`href="${link}"`);
  expect(source.split(link).length - 1).toBeGreaterThan(2);
  expect(await onlyMail()).toMatchObject({
    status: "SENT",
    content: null,
    sentAt: now,
    nextAttemptAt: null,
    attemptCount: 1,
  });
});

test("a mail whose change was rolled back is never sent", async () => {
  const change = db().$transaction(async (transaction) => {
    await queueMail(transaction, "grace@example.com", invitation());
    throw new Error("the change failed");
  });
  await expect(change).rejects.toThrow("the change failed");
  expect(await sendMails(10)).toBe(0);
});

test("a mail that the server cannot take now is retried on schedule, and given up after the last attempt", async () => {
  server.refuseWith({ code: 451, text: "come back later", at: "content" });
  await queueMail(db(), "grace@example.com", invitation());

  for (const delay of mailRetrySchedule) {
    expect(await sendMails(10)).toBe(1);
    expect(await onlyMail()).toMatchObject({
      status: "PENDING",
      error: expect.stringContaining("come back later"),
    });
    passSeconds(delay - 1);
    expect(await sendMails(10)).toBe(0);
    passSeconds(1);
  }
  expect(await sendMails(10)).toBe(1);
  expect(await onlyMail()).toMatchObject({ status: "FAILED", attemptCount: 7, content: null });
  passSeconds(1_000_000);
  expect(await sendMails(10)).toBe(0);
});

test("a server that recovers gets the mail, once", async () => {
  server.refuseWith({ code: 421, text: "too busy", at: "recipient" });
  await queueMail(db(), "grace@example.com", invitation());
  await sendMails(10);
  server.refuseWith(null);
  passSeconds(30);
  await sendMails(10);
  expect(server.mails).toHaveLength(1);
  expect(await onlyMail()).toMatchObject({ status: "SENT", attemptCount: 2, error: null });
});

test("a mail to an address that the server does not know is given up immediately", async () => {
  server.refuseWith({ code: 550, text: "no such user", at: "recipient" });
  await queueMail(db(), "nobody@example.com", invitation());
  await sendMails(10);
  expect(await onlyMail()).toMatchObject({
    status: "FAILED",
    attemptCount: 1,
    error: expect.stringContaining("no such user"),
  });
});

test("many concurrent senders send each mail once", async () => {
  const people = Array.from({ length: 25 }, (_, index) => `person${index}@example.com`);
  await db().$transaction(async (transaction) => {
    for (const person of people) await queueMail(transaction, person, invitation());
  });
  const tried = await Promise.all([sendMails(50), sendMails(50), sendMails(50), sendMails(50)]);

  expect(tried.reduce((sum, count) => sum + count)).toBe(25);
  expect(server.mails.flatMap(({ to }) => to).sort()).toEqual(people.sort());
});

test("mails claimed by a killed sender are sent when its lease ends", async () => {
  await queueMail(db(), "grace@example.com", invitation());
  await db().mail.updateMany({
    data: { attemptCount: 1, nextAttemptAt: new Date(now.getTime() + 180_000) },
  });
  expect(await sendMails(10)).toBe(0);
  passSeconds(180);
  expect(await sendMails(10)).toBe(1);
  expect(server.mails).toHaveLength(1);
});

test("a mail with an expired link is no longer sent", async () => {
  server.refuseWith({ code: 451, text: "later", at: "content" });
  await queueMail(db(), "grace@example.com", invitation(), {
    usableUntil: new Date(now.getTime() + 60_000),
  });
  await sendMails(10);
  server.refuseWith(null);
  passSeconds(60);
  await sendMails(10);
  expect(server.mails).toEqual([]);
  expect(await onlyMail()).toMatchObject({
    status: "FAILED",
    error: "it could not be sent in time",
  });
});

test("names cannot add headers or markup", async () => {
  await queueMail(
    db(),
    "grace@example.com",
    invitation({ organization: "Engines\r\nBcc: all@example.com", invitedBy: '<img src="x">' }),
  );
  await sendMails(10);
  const [mail] = server.mails;
  const [head = "", ...body] = decoded(mail?.source ?? "").split("\r\n\r\n");
  expect(mail?.to).toEqual(["grace@example.com"]);
  expect(head).not.toMatch(/^Bcc:/m);
  const html = body.join("\r\n\r\n").split("text/html")[1] ?? "";
  expect(html).toContain("&lt;img src=&quot;x&quot;&gt;");
  expect(html).not.toContain("<img");
});

test("mails about a tenant go to its owners and admins, once for each name", async () => {
  const account = {
    organization: "Engines",
    name: "Ada",
    email: "owner@engines.example",
    passwordHash: "none",
  };
  const { tenant } = await db().$transaction((transaction) => createAccount(transaction, account));
  for (const role of ["ADMIN", "MEMBER", "VIEWER"] satisfies Role[]) {
    const other = { ...account, email: `${role.toLowerCase()}@engines.example` };
    const { user } = await db().$transaction((transaction) => createAccount(transaction, other));
    await db().membership.create({
      data: { tenantId: tenant.id, userId: user.id, role, createdAt: now },
    });
  }
  const webhook = {
    webhookId: "whk_1",
    webhookUrl: "https://example.com/hook",
    consecutiveFailures: 50,
  };
  const mail = {
    kind: "webhook-failing",
    environment: "live",
    ...webhook,
    consequence: "It will be disabled.",
  } as const;
  const warn = () => queueMailToAdmins(db(), tenant.id, mail, { name: "whk_1:50" });
  await Promise.all([warn(), warn()]);
  await sendMails(10);

  expect(server.mails.flatMap(({ to }) => to).sort()).toEqual([
    "admin@engines.example",
    "owner@engines.example",
  ]);
  const source = decoded(server.mails[0]?.source ?? "");
  expect(source).toContain(
    "The last 50 deliveries of a live webhook of Engines to https://example.com/hook failed.",
  );
  expect(source).toContain(`/${tenant.slug}/live/webhooks/whk_1`);
});
