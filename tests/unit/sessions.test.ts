import type { JWT } from "next-auth/jwt";
import { expect, test } from "vitest";
import { nextAuthOptions } from "@/lib/auth/next-auth-options";
import { signOut } from "@/lib/auth/service";
import { db } from "@/lib/db";
import { findLiveSession, startSession } from "@/lib/sessions/service";
import { createAccount } from "@/lib/users/service";

const device = { address: null, userAgent: null };
let number = 0;

async function newUser() {
  const account = { organisation: "Sessions", name: "Ada", email: `ada${++number}@example.com`, passwordHash: "none" };
  return db().$transaction((transaction) => createAccount(transaction, account));
}

test("a session lasts twelve hours from its start and not a moment longer", async () => {
  const { user } = await newUser();
  const start = new Date("2026-01-01T08:00:00.000Z");
  const { id } = await startSession(db(), user.id, device, { now: start });

  expect(await findLiveSession(db(), id, new Date("2026-01-01T19:59:59.999Z"))).toMatchObject({ id: user.id });
  expect(await findLiveSession(db(), id, new Date("2026-01-01T20:00:00.000Z"))).toBeNull();
});

test("signing out ends all sessions of the user at once, and nobody else's", async () => {
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

test("a role that is changed counts from the next request, and a membership that ends ends with it", async () => {
  const { user, tenant } = await newUser();
  const { id } = await startSession(db(), user.id, device);
  const where = { tenantId_userId: { tenantId: tenant.id, userId: user.id } };

  await db().membership.update({ where, data: { role: "VIEWER" } });
  expect((await findLiveSession(db(), id))?.memberships).toMatchObject([{ role: "VIEWER" }]);

  await db().membership.delete({ where });
  expect((await findLiveSession(db(), id))?.memberships).toEqual([]);
});

test("next-auth's token carries a session id and nothing else, whatever an update asks for", async () => {
  const { jwt } = nextAuthOptions(device).callbacks ?? {};
  const token = { sessionId: "ses_1", name: "Ada", role: "OWNER" };
  const forged = { sessionId: "ses_2", role: "OWNER", tenantId: "ten_1" };

  expect(await jwt?.({ token, trigger: "update", session: forged } as never)).toEqual({ sessionId: "ses_1" });
});

test("next-auth knows nobody by a revoked session, and its own way out revokes, too", async () => {
  const { user } = await newUser();
  const { id } = await startSession(db(), user.id, device);
  const { callbacks, events } = nextAuthOptions(device);
  const token = { sessionId: id } as JWT;
  const session = () => callbacks?.session?.({ token } as never);

  expect(await session()).toMatchObject({ user: { email: user.email } });
  await events?.signOut?.({ token } as never);
  await expect(session()).rejects.toThrow("revoked");
});
