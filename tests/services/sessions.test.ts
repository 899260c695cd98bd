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

test("a session lasts twelve hours from its start and no longer", async () => {
  const { user } = await newUser();
  const start = new Date("2026-01-01T08:00:00.000Z");
  const { id } = await startSession(db(), user.id, device, { now: start });

  expect(await findLiveSession(db(), id, new Date("2026-01-01T19:59:59.999Z"))).toMatchObject({
    id: user.id,
  });
  expect(await findLiveSession(db(), id, new Date("2026-01-01T20:00:00.000Z"))).toBeNull();
});

test("a session that is not used for seven days ends, and is no longer listed", async () => {
  const { user } = await newUser();
  const start = new Date("2026-01-01T08:00:00.000Z");
  const after = (hours: number) => new Date(start.getTime() + hours * 3_600_000);
  const { id } = await startSession(db(), user.id, device, { now: start });
  // The lifetime is shorter, so here it has to be set aside.
  await db().session.update({ where: { id }, data: { expiresAt: after(1_000) } });

  const seen = await findLiveSession(db(), id, after(24));
  if (!seen) throw new Error("the session is not valid");
  recordSessionActivity(db(), seen, after(24));
  await expect
    .poll(async () => (await db().session.findUniqueOrThrow({ where: { id } })).lastSeenAt)
    .toEqual(after(24));

  expect(await findLiveSession(db(), id, after(8 * 24 - 1))).toMatchObject({ id: user.id });
  expect(await listSessions(db(), user.id, after(8 * 24 - 1))).toHaveLength(1);
  expect(await findLiveSession(db(), id, after(8 * 24))).toBeNull();
  expect(await listSessions(db(), user.id, after(8 * 24))).toEqual([]);
});

test("idle sessions end after seven days, unless the installation says otherwise", () => {
  const given = { DATABASE_URL: "postgresql://localhost/x", SECRET_KEYS: process.env.SECRET_KEYS };
  expect(parseEnv(given).SESSION_IDLE_HOURS).toBe(7 * 24);
  expect(parseEnv({ ...given, SESSION_IDLE_HOURS: "2" }).SESSION_IDLE_HOURS).toBe(2);
  expect(() => parseEnv({ ...given, SESSION_IDLE_HOURS: "0" })).toThrow("SESSION_IDLE_HOURS");
});

test("signing out ends all sessions of the user immediately, and no others", async () => {
  const [{ user }, { user: other }] = await Promise.all([newUser(), newUser()]);
  const [laptop, phone, others] = await Promise.all([
    startSession(db(), user.id, device),
    startSession(db(), user.id, device),
    startSession(db(), other.id, device),
  ]);

  await signOut(user, device);

  expect(await findLiveSession(db(), laptop.id)).toBeNull();
  expect(await findLiveSession(db(), phone.id)).toBeNull();
  expect(await findLiveSession(db(), others.id)).toMatchObject({ id: other.id });
});

test("a changed role takes effect with the next request, and so does a removed membership", async () => {
  const { user, tenant } = await newUser();
  const { id } = await startSession(db(), user.id, device);
  const where = { tenantId_userId: { tenantId: tenant.id, userId: user.id } };

  await db().membership.update({ where, data: { role: "VIEWER" } });
  expect((await findLiveSession(db(), id))?.memberships).toMatchObject([{ role: "VIEWER" }]);

  await db().membership.delete({ where });
  expect((await findLiveSession(db(), id))?.memberships).toEqual([]);
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
