import type { JWT } from "next-auth/jwt";
import { expect, test } from "vitest";
import { nextAuthOptions } from "@/lib/auth/next-auth-options";
import { signOut } from "@/lib/auth/service";
import { db } from "@/lib/platform/db";
import { parseEnv } from "@/lib/platform/env";
import {
  findLiveSession,
  listSessions,
  recordSessionActivity,
  startSession,
} from "@/lib/sessions/service";
import { createAccount } from "@/lib/users/service";
import { moveAway } from "../support/people";

process.env.SESSION_IDLE_HOURS = "2";

const start = new Date("2026-01-01T08:00:00.000Z");
const after = (hours: number) => new Date(start.getTime() + hours * 3_600_000);
const device = { address: null, userAgent: null };
let number = 0;

async function newUser() {
  const account = {
    organization: "Sessions",
    name: "Ada",
    email: `ada${++number}@example.com`,
    passwordHash: "none",
  };
  return db().$transaction((transaction) => createAccount(transaction, account));
}

/** The session is used at that time. */
async function use(id: string, at: Date) {
  const seen = await findLiveSession(id, at);
  if (!seen) throw new Error("the session is not valid");
  recordSessionActivity(db(), seen, at);
  await expect
    .poll(async () => (await db().session.findUniqueOrThrow({ where: { id } })).lastSeenAt)
    .toEqual(at);
}

test("a session lasts twelve hours from its start and no longer, however active it is", async () => {
  const { user } = await newUser();
  const { id } = await startSession(db(), user.id, device, { now: start });
  for (let hours = 1.5; hours < 12; hours += 1.5) await use(id, after(hours));

  expect(await findLiveSession(id, new Date(after(12).getTime() - 1))).toMatchObject({
    id: user.id,
  });
  expect(await findLiveSession(id, after(12))).toBeNull();
});

test("a session that is not used for SESSION_IDLE_HOURS ends, and is no longer listed", async () => {
  const { user } = await newUser();
  const { id } = await startSession(db(), user.id, device, { now: start });
  await use(id, after(1));

  const last = new Date(after(3).getTime() - 1);
  expect(await findLiveSession(id, last)).toMatchObject({ id: user.id });
  expect(await listSessions(db(), user.id, last)).toHaveLength(1);
  expect(await findLiveSession(id, after(3))).toBeNull();
  expect(await listSessions(db(), user.id, after(3))).toEqual([]);
});

test("SESSION_IDLE_HOURS is at most a session's lifetime, which is its default", () => {
  const given = { DATABASE_URL: "postgresql://localhost/x", SECRET_KEYS: process.env.SECRET_KEYS };
  const hours = (value: string) =>
    parseEnv({ ...given, SESSION_IDLE_HOURS: value }).SESSION_IDLE_HOURS;
  expect(parseEnv(given).SESSION_IDLE_HOURS).toBe(12);
  expect([hours("1"), hours("12")]).toEqual([1, 12]);
  for (const value of ["0", "13", "168"]) expect(() => hours(value)).toThrow("SESSION_IDLE_HOURS");
});

test("signing out ends all sessions of the user immediately, and no others", async () => {
  const [{ user }, { user: other }] = await Promise.all([newUser(), newUser()]);
  const [laptop, phone, others] = await Promise.all([
    startSession(db(), user.id, device),
    startSession(db(), user.id, device),
    startSession(db(), other.id, device),
  ]);

  await signOut(user, device);

  expect(await findLiveSession(laptop.id)).toBeNull();
  expect(await findLiveSession(phone.id)).toBeNull();
  expect(await findLiveSession(others.id)).toMatchObject({ id: other.id });
});

test("a changed role takes effect with the next request, and so does a removed membership", async () => {
  const { user, tenant } = await newUser();
  const { id } = await startSession(db(), user.id, device);
  const where = { tenantId_userId: { tenantId: tenant.id, userId: user.id } };

  await db().membership.update({ where, data: { role: "VIEWER" } });
  expect((await findLiveSession(id))?.memberships).toMatchObject([{ role: "VIEWER" }]);

  await db().membership.delete({ where });
  expect((await findLiveSession(id))?.memberships).toEqual([]);
});

test("the token of next-auth contains only a session id, whatever an update requests", async () => {
  const { jwt } = nextAuthOptions(device).callbacks ?? {};
  const token = { sessionId: "ses_1", name: "Ada", role: "OWNER" };
  const forged = { sessionId: "ses_2", role: "OWNER", tenantId: "ten_1" };

  expect(await jwt?.({ token, trigger: "update", session: forged } as never)).toEqual({
    sessionId: "ses_1",
  });
});

test("next-auth accepts no revoked session, and its own sign-out revokes too", async () => {
  const { user } = await newUser();
  const { id } = await startSession(db(), user.id, device);
  const { callbacks, events } = nextAuthOptions(device);
  const token = { sessionId: id } as JWT;
  const session = () => callbacks?.session?.({ token } as never);

  expect(await session()).toMatchObject({ user: { email: user.email } });
  await events?.signOut?.({ token } as never);
  await expect(session()).rejects.toThrow("revoked");
});

test("a session's user is read in one statement, as the tables have it", async () => {
  const { user, tenant } = await newUser();
  const [second, suspended] = [await newUser(), await newUser()];
  await db().membership.createMany({
    data: [
      { tenantId: second.tenant.id, userId: user.id, role: "VIEWER", createdAt: after(1) },
      {
        ...{ tenantId: suspended.tenant.id, userId: user.id, role: "ADMIN" },
        ...{ createdAt: after(0), suspendedAt: after(2) },
      },
    ],
  });
  await db().membership.updateMany({
    where: { tenantId: tenant.id, userId: user.id },
    data: { createdAt: start },
  });
  const session = await startSession(db(), user.id, device, { now: start, method: "GITHUB" });

  const summaryOf = ({ id, slug, name }: typeof tenant) => ({
    ...{ id, slug, name, requiresSecondFactor: false, movedTo: null },
  });
  expect(await findLiveSession(session.id, after(1))).toEqual({
    sessionId: session.id,
    method: "GITHUB",
    provedAt: start,
    lastSeenAt: start,
    expiresAt: session.expiresAt,
    id: user.id,
    name: user.name,
    email: user.email,
    hasPassword: true,
    isEmailVerified: user.emailVerifiedAt !== null,
    hasSecondFactor: false,
    memberships: [
      { role: "OWNER", tenant: summaryOf(tenant) },
      { role: "VIEWER", tenant: summaryOf(second.tenant) },
    ],
  });

  // Users start in the first one.
  await moveAway(tenant.id);
  const found = await findLiveSession(session.id, after(1));
  expect(found?.memberships.map(({ tenant }) => tenant.id)).toEqual([second.tenant.id, tenant.id]);
});
