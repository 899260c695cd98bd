import { afterEach, beforeEach, expect, test } from "vitest";
import { changePassword } from "@/lib/auth/change-password";
import { withAccount } from "@/lib/auth/known-device";
import { hashPassword } from "@/lib/auth/password";
import {
  createPasswordReset,
  findPasswordReset,
  immediateMails,
  requestPasswordReset,
  resetPassword,
  sendPasswordResets,
} from "@/lib/auth/password-reset";
import { signIn } from "@/lib/auth/service";
import { failureLimits, maximumResets } from "@/lib/auth/throttle";
import { openMail } from "@/lib/mail/service";
import { db, pool } from "@/lib/platform/db";
import { setCurrentTime } from "@/lib/platform/time";
import {
  findLiveSession,
  listSessions,
  recordSessionActivity,
  revokeSession,
  startSession,
} from "@/lib/sessions/service";
import { stopLimiterClock } from "../support/limiter-clock";
import { hasWaiting, watch } from "../support/locks";
import { auditOf, newAddress, newOrganization, newPerson, newSession } from "../support/people";

beforeEach(() => void stopLimiterClock());
afterEach(() => setCurrentTime(null));

const oldPassword = "correct horse battery";
const newPassword = "quite another sentence";
const passwordHash = await hashPassword(oldPassword);
let number = 0;
const newDevice = () => ({ address: `10.4.${++number >> 8}.${number & 255}`, userAgent: "test" });
const outcomeOf = async (email: string, password: string) =>
  (await signIn({ email, password }, newDevice())).outcome;

async function newSignedIn(hash: string | null = passwordHash) {
  const { tenant, owner } = await newOrganization(hash ?? undefined);
  if (!hash) await db().user.update({ where: { id: owner.id }, data: { passwordHash: null } });
  const session = await newSession(owner.id);
  const user = await findLiveSession(session.id);
  if (!user) throw new Error("the session does not count");
  return { tenant, owner, session, user };
}

/** The link in the newest mail to an address. */
async function tokenMailedTo(email: string): Promise<string> {
  await sendPasswordResets(100);
  const mail = await db().mail.findFirst({
    where: { recipient: email, kind: "password-reset" },
    orderBy: { id: "desc" },
  });
  return /\/password\/(\S+)/.exec((mail && openMail(mail)?.text) ?? "")?.[1] ?? "";
}

test("changing the password ends all sessions immediately and starts a new one", async () => {
  const { tenant, owner, session, user } = await newSignedIn();
  const phone = await newSession(owner.id);

  const result = await changePassword(
    user,
    { current: oldPassword, password: newPassword },
    newDevice(),
  );

  if (result.outcome !== "changed") throw new Error(result.outcome);
  expect(await findLiveSession(session.id)).toBeNull();
  expect(await findLiveSession(phone.id)).toBeNull();
  expect(await findLiveSession(result.sessionId)).toMatchObject({ id: owner.id });
  expect(await outcomeOf(owner.email, oldPassword)).toBe("failed");
  expect(await outcomeOf(owner.email, newPassword)).toBe("signed-in");
  const done = (await auditOf(tenant.id)).filter(({ action }) => action !== "user.sign_in_failed");
  expect(done.slice(-2)).toEqual([
    { action: "user.password_changed", actorId: owner.id, targetId: owner.id, changes: {} },
    {
      action: "user.signed_in",
      actorId: owner.id,
      targetId: owner.id,
      changes: { after: { method: "PASSWORD" } },
    },
  ]);
});

test("a wrong current password changes nothing, and guesses count for the session", async () => {
  const { owner, session, user } = await newSignedIn();
  for (let guess = 0; guess < failureLimits[0].limit; guess++) {
    expect(
      await changePassword(user, { current: "wrong password", password: newPassword }, newDevice()),
    ).toEqual({ outcome: "failed" });
  }
  expect(
    await changePassword(user, { current: oldPassword, password: newPassword }, newDevice()),
  ).toMatchObject({ outcome: "throttled" });
  expect(await findLiveSession(session.id)).toMatchObject({ id: owner.id });
});

test("a user without a password sets one right after signing in, and not later", async () => {
  const { owner, user } = await newSignedIn(null);
  const late = { ...user, provedAt: new Date(Date.now() - 11 * 60_000) };
  expect(await changePassword(late, { current: "", password: newPassword }, newDevice())).toEqual({
    outcome: "proof-needed",
  });
  expect(
    await changePassword(user, { current: "", password: newPassword }, newDevice()),
  ).toMatchObject({ outcome: "changed" });
  expect(await outcomeOf(owner.email, newPassword)).toBe("signed-in");
});

test("a mailed link sets a new password once, ends all sessions, and signs in", async () => {
  const { tenant, owner, session } = await newSignedIn();
  expect(await requestPasswordReset(owner.email, newDevice())).toEqual({ outcome: "noted" });
  const token = await tokenMailedTo(owner.email);
  expect(await findPasswordReset(token)).toEqual({ id: owner.id, email: owner.email });

  const result = await resetPassword(token, newPassword, newDevice());

  if (result?.outcome !== "signed-in") throw new Error(result?.outcome);
  expect(await findLiveSession(result.sessionId)).toMatchObject({ id: owner.id });
  expect(await findLiveSession(session.id)).toBeNull();
  expect(await outcomeOf(owner.email, newPassword)).toBe("signed-in");
  expect(
    (await db().user.findUniqueOrThrow({ where: { id: owner.id } })).emailVerifiedAt,
  ).not.toBeNull();
  expect((await auditOf(tenant.id)).at(-2)).toMatchObject({ action: "user.password_reset" });
  expect(await findPasswordReset(token)).toBeNull();
  expect(await resetPassword(token, "a third sentence entirely", newDevice())).toBeNull();
});

test("the first used link ends the others, also concurrently", async () => {
  const { owner } = await newSignedIn();
  const tokens: string[] = [];
  for (let asked = 0; asked < 3; asked++) {
    await requestPasswordReset(owner.email, newDevice());
    tokens.push(await tokenMailedTo(owner.email));
  }
  expect(new Set(tokens).size).toBe(3);
  const [first = "", second = ""] = tokens;
  const results = await Promise.all([
    resetPassword(first, newPassword, newDevice()),
    resetPassword(first, newPassword, newDevice()),
  ]);
  expect(results.filter(Boolean)).toHaveLength(1);
  expect(await resetPassword(second, newPassword, newDevice())).toBeNull();
});

test("a link waits for a change that ends the user's links, and not the other way around", async () => {
  const { owner } = await newSignedIn();
  await requestPasswordReset(owner.email, newDevice());
  const token = await tokenMailedTo(owner.email);
  const client = await pool().connect();
  try {
    await client.query("BEGIN");
    await client.query("SELECT 1 FROM users WHERE id = $1 FOR UPDATE", [owner.id]);
    const reset = resetPassword(token, newPassword, newDevice());
    const state = watch(reset);
    while (!state.hasSettled && !(await hasWaiting(client)));
    await client.query("UPDATE password_resets SET used_at = now() WHERE user_id = $1", [owner.id]);
    await client.query("COMMIT");
    expect(await reset).toBeNull();
  } finally {
    client.release(true);
  }
  expect(await outcomeOf(owner.email, oldPassword)).toBe("signed-in");
});

test("a link lasts an hour, and a changed password ends it earlier", async () => {
  const { owner, user } = await newSignedIn();
  const start = Date.now();
  setCurrentTime(() => new Date(start));
  await requestPasswordReset(owner.email, newDevice());
  const token = await tokenMailedTo(owner.email);
  setCurrentTime(() => new Date(start + 3_599_999));
  expect(await findPasswordReset(token)).not.toBeNull();
  setCurrentTime(() => new Date(start + 3_600_000));
  expect(await findPasswordReset(token)).toBeNull();
  expect(await resetPassword(token, newPassword, newDevice())).toBeNull();

  setCurrentTime(null);
  await requestPasswordReset(owner.email, newDevice());
  const other = await tokenMailedTo(owner.email);
  await changePassword(user, { current: oldPassword, password: newPassword }, newDevice());
  expect(await findPasswordReset(other)).toBeNull();
});

test("a session that ended in the meantime does not change the password", async () => {
  const { owner, user, session } = await newSignedIn();
  await revokeSession(db(), owner.id, session.id);
  expect(
    await changePassword(user, { current: oldPassword, password: newPassword }, newDevice()),
  ).toEqual({ outcome: "proof-needed" });
  expect(await listSessions(db(), owner.id)).toEqual([]);
  expect(await outcomeOf(owner.email, oldPassword)).toBe("signed-in");
});

test("an unknown address gets the same response and the same record, and no mail", async () => {
  const known = (await newPerson()).email;
  const unknown = newAddress("nobody");
  const outcomes = [];
  for (const email of [known, unknown])
    outcomes.push(await requestPasswordReset(email, newDevice()));
  expect(outcomes[0]).toEqual(outcomes[1]);
  const rows = await db().passwordReset.findMany({ where: { email: { in: [known, unknown] } } });
  expect(
    rows.map(({ userId, tokenHash, expiresAt }) => ({ userId, tokenHash, expiresAt })),
  ).toEqual(Array(2).fill({ userId: null, tokenHash: null, expiresAt: null }));

  await sendPasswordResets(100);
  expect(await db().mail.count({ where: { recipient: unknown } })).toBe(0);
  expect(await db().mail.count({ where: { recipient: known } })).toBe(1);
  expect(await db().passwordReset.count({ where: { email: unknown } })).toBe(0);
});

test("several workers handle each request once", async () => {
  const people = await Promise.all(Array.from({ length: 8 }, () => newPerson()));
  for (const { email } of people) await requestPasswordReset(email, newDevice());
  await Promise.all([sendPasswordResets(50), sendPasswordResets(50), sendPasswordResets(50)]);
  for (const { email } of people)
    expect(await db().mail.count({ where: { recipient: email } })).toBe(1);
});

test("requests of one network for one account are limited, whether it exists or not, and those of others are not", async () => {
  for (const email of [(await newPerson()).email, newAddress("nobody")]) {
    const device = newDevice();
    const outcomes = [];
    for (let asked = 0; asked <= maximumResets.account; asked++)
      outcomes.push((await requestPasswordReset(email, device)).outcome);
    expect(outcomes).toEqual([...Array(maximumResets.account).fill("noted"), "too-many"]);
    expect(await requestPasswordReset(email, newDevice())).toEqual({ outcome: "noted" });
    const known = withAccount(null, { email, passwordHash: null });
    expect(await requestPasswordReset(email, { ...device, known })).toEqual({ outcome: "noted" });
  }
});

test("requests of strangers neither flood a mailbox nor leave its owner without a valid link", async () => {
  const { email } = await newPerson();
  const start = Date.now();
  for (let minute = 0; minute < 180; minute += 5) {
    setCurrentTime(() => new Date(start + minute * 60_000));
    expect(await requestPasswordReset(email, newDevice())).toEqual({ outcome: "noted" });
    expect(await findPasswordReset(await tokenMailedTo(email))).toMatchObject({ email });
    // A mailed link stays valid for half an hour.
    setCurrentTime(() => new Date(start + (minute + 29) * 60_000));
    expect(await findPasswordReset(await tokenMailedTo(email))).toMatchObject({ email });
  }
  // The first three immediately, then one every half hour.
  expect(await db().mail.count({ where: { recipient: email } })).toBe(immediateMails + 5);
});

test("a used link, or one that an operator made, does not keep the next request from being mailed", async () => {
  const { email } = await newPerson();
  const mails = () => db().mail.count({ where: { recipient: email, kind: "password-reset" } });
  const ask = async () => {
    await requestPasswordReset(email, newDevice());
    return tokenMailedTo(email);
  };
  for (let asked = 0; asked < immediateMails; asked++) await ask();
  await createPasswordReset(email);
  const token = await ask();
  expect(await mails()).toBe(immediateMails);

  await resetPassword(token, newPassword, newDevice());
  await createPasswordReset(email);
  await ask();
  expect(await mails()).toBe(immediateMails + 1);
});

test("requests of one network for new passwords are limited", async () => {
  const device = newDevice();
  const outcomes = [];
  for (let asked = 0; asked <= maximumResets.network; asked++)
    outcomes.push((await requestPasswordReset(newAddress(), device)).outcome);
  expect(outcomes.at(-2)).toBe("noted");
  expect(outcomes.at(-1)).toBe("too-many");
});

test("an operator creates a link for an existing user only", async () => {
  const person = await newPerson();
  const made = await createPasswordReset(person.email);
  const token = made?.url.split("/").at(-1) ?? "";
  expect(await resetPassword(token, newPassword, newDevice())).not.toBeNull();
  expect(await outcomeOf(person.email, newPassword)).toBe("signed-in");
  expect(await createPasswordReset(newAddress("nobody"))).toBeNull();
});

test("a user ends one session without the others, and none of another user", async () => {
  const { owner, session } = await newSignedIn();
  const phone = await newSession(owner.id);
  const { owner: stranger } = await newOrganization();

  await revokeSession(db(), stranger.id, session.id);
  expect((await listSessions(db(), owner.id)).map(({ id }) => id)).toEqual([phone.id, session.id]);
  await revokeSession(db(), owner.id, session.id);
  expect((await listSessions(db(), owner.id)).map(({ id }) => id)).toEqual([phone.id]);
  expect(await findLiveSession(session.id)).toBeNull();
});

test("a session records every few minutes that it is in use", async () => {
  const { owner } = await newSignedIn();
  const start = new Date("2026-03-01T08:00:00.000Z");
  const { id } = await startSession(db(), owner.id, newDevice(), { now: start });
  const seenAt = async (minutes: number) => {
    const now = new Date(start.getTime() + minutes * 60_000);
    const user = await findLiveSession(id, now);
    if (user) recordSessionActivity(db(), user, now);
    return async () => (await db().session.findUniqueOrThrow({ where: { id } })).lastSeenAt;
  };
  expect(await (await seenAt(4))()).toEqual(start);
  await expect.poll(await seenAt(6)).toEqual(new Date("2026-03-01T08:06:00.000Z"));
});
