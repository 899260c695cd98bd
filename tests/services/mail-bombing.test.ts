import { afterEach, beforeAll, expect, test } from "vitest";
import { dailyMailLimits } from "@/lib/mail/daily-limits";
import type { Mail } from "@/lib/mail/mail-kinds";
import { writeMail } from "@/lib/mail/write-mail";
import { createInvitation, resendInvitation, revokeInvitation } from "@/lib/members/invitations";
import { mutate } from "@/lib/platform/caller";
import { databaseWaits } from "@/lib/platform/database-waits";
import { db } from "@/lib/platform/db";
import { env } from "@/lib/platform/env";
import { setCurrentTime } from "@/lib/platform/time";
import { organizationInput, personInput } from "@/lib/users/schema";
import { as, newAddress, newOrganization, type TestPerson } from "../support/people";

// Transactions wait for each other here, on any machine.
databaseWaits.lock = 60_000;

const start = Date.parse("2026-03-01T08:00:00.000Z");
const dayMs = 24 * 60 * 60_000;

beforeAll(() => {
  Object.assign(env(), { SMTP_URL: "smtp://127.0.0.1:1", MAIL_FROM: "parlance@example.com" });
});
afterEach(() => setCurrentTime(null));

async function newVerifiedOwner() {
  const { owner } = await newOrganization();
  await db().user.update({ where: { id: owner.id }, data: { emailVerifiedAt: new Date(0) } });
  return owner;
}

const invite = (by: TestPerson, email: string) =>
  mutate(as(by), (caller) => createInvitation(caller, { email, role: "MEMBER" }));
const revoke = (by: TestPerson, id: string) =>
  mutate(as(by), (caller) => revokeInvitation(caller, id));
const mailsTo = (recipient: string) => db().mail.count({ where: { recipient } });

/** The address is in another organization of the same owner's each time. */
async function newOrganizationOf(owner: TestPerson): Promise<TestPerson> {
  const { tenant } = await newOrganization();
  await db().membership.create({
    data: { tenantId: tenant.id, userId: owner.id, role: "OWNER", createdAt: new Date() },
  });
  return { ...owner, tenantId: tenant.id };
}

test("one address gets a few invitations a day, no matter how often they are revoked and resent, and from how many organizations", async () => {
  setCurrentTime(() => new Date(start));
  const [first, second] = [await newVerifiedOwner(), await newVerifiedOwner()];
  const victim = newAddress("victim");
  for (let count = 1; count < dailyMailLimits.recipient; count++)
    await revoke(first, (await invite(first, victim)).id);
  const { id } = await invite(second, victim);

  const refusal = {
    kind: "limit-reached",
    detail: expect.stringContaining(`${victim} cannot be mailed again yet`),
  };
  await expect(invite(first, victim)).rejects.toMatchObject(refusal);
  setCurrentTime(() => new Date(start + 61_000));
  await expect(mutate(as(second), (caller) => resendInvitation(caller, id))).rejects.toMatchObject(
    refusal,
  );
  expect(await mailsTo(victim)).toBe(dailyMailLimits.recipient);

  // A refusal changes nothing, and a day later there is room again.
  setCurrentTime(() => new Date(start + dayMs + 1));
  await mutate(as(second), (caller) => resendInvitation(caller, id));
  expect(await mailsTo(victim)).toBe(dailyMailLimits.recipient + 1);
});

test("concurrent requests get no mail past the cap", async () => {
  const owners = await Promise.all(
    Array.from({ length: dailyMailLimits.recipient + 3 }, newVerifiedOwner),
  );
  const victim = newAddress("victim");
  await Promise.allSettled(owners.map((owner) => invite(owner, victim)));
  expect(await mailsTo(victim)).toBe(dailyMailLimits.recipient);
});

test.each(["tenant", "sender"] as const)(
  "the daily cap for each %s also counts revoked invitations",
  async (kind) => {
    setCurrentTime(() => new Date(start));
    const owner = await newVerifiedOwner();
    const other = { ...(await newVerifiedOwner()), tenantId: owner.tenantId };
    await db().membership.create({
      data: { tenantId: owner.tenantId, userId: other.id, role: "OWNER", createdAt: new Date() },
    });
    const elsewhere = await newOrganizationOf(owner);
    const before = dailyMailLimits[kind] - 1;
    const facts =
      kind === "tenant"
        ? { tenantId: owner.tenantId, senderId: other.id }
        : { tenantId: elsewhere.tenantId, senderId: owner.id };
    await db().mail.createMany({
      data: Array.from({ length: before }, (_, index) => ({
        ...{
          id: `mail_${kind}_${index}`,
          kind: "invitation",
          recipient: newAddress(),
          createdAt: new Date(start),
          ...facts,
        },
      })),
    });
    await revoke(owner, (await invite(owner, newAddress())).id);
    await expect(invite(owner, newAddress())).rejects.toMatchObject({ kind: "limit-reached" });
    setCurrentTime(() => new Date(start + dayMs + 1));
    await invite(owner, newAddress());
  },
);

const words = "Win money at evil";
const tenant = { slug: words, name: words };
const at = new Date(start);
/** Each kind with words of a user's choosing wherever there is room for them. */
const wordy: { [Kind in Mail["kind"]]: Extract<Mail, { kind: Kind }> } = {
  invitation: {
    kind: "invitation",
    organization: words,
    invitedBy: words,
    role: "ADMIN",
    url: words,
    expiresAt: at,
  },
  "password-reset": { kind: "password-reset", name: words, url: words, expiresAt: at },
  "account-linked": {
    kind: "account-linked",
    name: words,
    provider: "GITHUB",
    isPasswordDropped: true,
  },
  "new-sign-in": {
    kind: "new-sign-in",
    name: words,
    method: "PASSWORD",
    device: words,
    address: words,
    at,
  },
  "password-changed": { kind: "password-changed", name: words, device: words, address: words, at },
  "second-factor-changed": {
    kind: "second-factor-changed",
    ...{ name: words, change: "passkey added", device: words, address: words, at },
  },
  "confirm-new-email": { kind: "confirm-new-email", url: words, expiresAt: at },
  "email-change-requested": {
    kind: "email-change-requested",
    ...{ name: words, newEmail: words, device: words, address: words, at },
  },
  "email-changed": {
    kind: "email-changed",
    ...{ name: words, newEmail: words, undoUrl: words, device: words, address: words, at },
  },
  "email-restored": {
    kind: "email-restored",
    ...{ name: words, email: words, device: words, address: words, at },
  },
  "account-deleted": { kind: "account-deleted", name: words, device: words, address: words, at },
  "recovery-code-used": {
    kind: "recovery-code-used",
    ...{ name: words, remaining: 9, device: words, address: words, at },
  },
  "owner-added": { kind: "owner-added", tenant, ownerName: words, ownerEmail: words },
  "member-removed": {
    kind: "member-removed",
    ...{ name: words, organization: words, removedBy: { name: words, email: words } },
  },
  "organization-deleted": {
    kind: "organization-deleted",
    tenant,
    deletedBy: { name: words, email: words },
  },
  "live-key-created": {
    kind: "live-key-created",
    tenant,
    environment: "live",
    keyName: words,
    keyHint: words,
    createdBy: words,
  },
  "verify-email": { kind: "verify-email", name: words, url: words, expiresAt: at },
  "access-suspended": {
    kind: "access-suspended",
    since: null,
    name: words,
    organizations: [{ name: words, count: 1 }],
  },
  "conversation-assigned": {
    kind: "conversation-assigned",
    ...{ tenant, environment: "live", conversationId: words, actorName: words },
  },
  "conversation-mentioned": {
    kind: "conversation-mentioned",
    ...{ tenant, environment: "live", conversationId: words, actorName: words },
  },
  "webhook-failing": {
    ...{
      kind: "webhook-failing",
      tenant,
      environment: "live",
      webhookId: words,
      webhookUrl: words,
    },
    ...{ consecutiveFailures: 50, consequence: words },
  },
  "webhook-disabled": {
    ...{
      kind: "webhook-disabled",
      tenant,
      environment: "live",
      webhookId: words,
      webhookUrl: words,
    },
    ...{ reason: "GONE", consecutiveFailures: 3 },
  },
  "storage-quota": {
    kind: "storage-quota",
    ...{ tenant, environment: "live", percent: 80, storedBytes: 800, limitBytes: 1_000 },
  },
  "api-key-expiring": {
    kind: "api-key-expiring",
    tenant,
    environment: "live",
    keyName: words,
    keyHint: words,
    expiresAt: at,
  },
};

test.each(Object.entries(wordy))("the subject of %s contains no words of a user", (_kind, mail) => {
  const { subject, text } = writeMail(mail);
  expect(subject).not.toContain("evil");
  expect(text).toContain(words);
});

test.each([
  "evil.example",
  "Visit evil.com now",
  "https://evil",
  "www.evil",
  "evil。com",
  "evil．com/path",
  "bit.ly/x",
  "ada@example.com",
  "10.0.0.1",
  "HTTP://EVIL",
  "a@b",
  "evil\u2024com",
  "evil\u200d.com",
])("names that look like URLs are refused: %s", (name) => {
  expect(personInput.safeParse({ name }).success).toBe(false);
  expect(organizationInput.safeParse({ name }).error?.issues[0]?.message).toContain(
    "must not look like a web or email address",
  );
});

test.each([
  "evil\u200b.com",
  "evil\u00ad.com",
  "evil\u2060.com",
  "Ada\r\nBcc: eve",
  "Ada\u2028Eve",
  "\u202eadA",
  "Ada\u0007",
])("names with line breaks or invisible characters are refused: %j", (name) => {
  expect(personInput.safeParse({ name }).success).toBe(false);
  expect(organizationInput.safeParse({ name }).success).toBe(false);
});

test.each([
  "می\u200cخواهم",
  "J.R.R. Tolkien",
  "Ada Lovelace",
  "St. John",
  "Dr. Ph.D. Grace",
  "Müller & Söhne GmbH",
  "Route 6.5",
  "Yahoo!",
  "3M",
  "O’Reilly",
  "株式会社",
])("names of people and companies are not: %s", (name) => {
  expect(personInput.safeParse({ name }).success).toBe(true);
  expect(organizationInput.safeParse({ name }).success).toBe(true);
});
