import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { changePassword } from "@/lib/auth/change-password";
import { hashPassword } from "@/lib/auth/password";
import { createPasswordReset, findPasswordReset } from "@/lib/auth/password-reset";
import { type ProviderUser, signInWithProvider } from "@/lib/auth/provider-sign-in";
import { gitHubApi } from "@/lib/auth/providers";
import { signIn } from "@/lib/auth/service";
import { maximumSignUps, mayCreateAccount } from "@/lib/auth/throttle";
import { openMail } from "@/lib/mail/service";
import { databaseWaits } from "@/lib/platform/database-waits";
import { db, pool } from "@/lib/platform/db";
import { parseEnv } from "@/lib/platform/env";
import { findLiveSession, startSession } from "@/lib/sessions/service";
import { proofLifetimeMs } from "@/lib/step-up/proof";
import { auditOf, newAddress, newOrganization, newSession } from "../support/people";

// Transactions wait for each other here, on any machine.
databaseWaits.lock = 60_000;

const password = "correct horse battery";
const passwordHash = await hashPassword(password);
let number = 0;
const newDevice = () => ({ address: `10.9.${++number >> 8}.${number & 255}`, userAgent: "test" });

const arrive = (given: Partial<ProviderUser> = {}): ProviderUser => ({
  provider: "GITHUB",
  accountId: String(++number),
  name: "Grace Hopper",
  email: newAddress("grace"),
  ...given,
});

async function sessionOf(
  providerUser: ProviderUser,
  current: Parameters<typeof signInWithProvider>[2] = null,
) {
  const result = await signInWithProvider(providerUser, newDevice(), current);
  if (result.outcome !== "signed-in") throw new Error(JSON.stringify(result));
  const session = await findLiveSession(result.sessionId);
  if (!session) throw new Error("the session does not count");
  return session;
}

async function newOwner({ isVerified }: { isVerified: boolean }) {
  const { tenant, owner } = await newOrganization(passwordHash);
  if (isVerified)
    await db().user.update({ where: { id: owner.id }, data: { emailVerifiedAt: new Date() } });
  const session = await findLiveSession((await newSession(owner.id)).id);
  if (!session) throw new Error("the session does not count");
  return { tenant, owner, session };
}

const hashOf = async (id: string) =>
  (await db().user.findUniqueOrThrow({ where: { id } })).passwordHash;

describe("a new user", () => {
  test("gets an account without a password or an organization, with a verified address", async () => {
    const providerUser = arrive({ email: newAddress("Grace").toUpperCase() });
    const session = await sessionOf(providerUser);

    expect(session).toMatchObject({
      method: "GITHUB",
      name: "Grace Hopper",
      hasPassword: false,
      memberships: [],
    });
    expect(session.email).toBe(providerUser.email?.toLowerCase());
    expect(
      (await db().user.findUniqueOrThrow({ where: { id: session.id } })).emailVerifiedAt,
    ).not.toBeNull();
  });

  test.each([
    ["of 300 characters", "x".repeat(300), "x".repeat(100)],
    ["that is empty", " ", "grace"],
    ["with a NUL", "Gr\u0000ce", "grace"],
  ])("with a name %s gets one that can be shown", async (_title, name, shown) => {
    expect((await sessionOf(arrive({ name, email: newAddress("grace") }))).name).toMatch(
      new RegExp(`^${shown}`),
    );
  });

  test("is one user after two concurrent sign-ins", async () => {
    const providerUser = arrive();
    const sessions = await Promise.all(Array.from({ length: 8 }, () => sessionOf(providerUser)));
    expect(new Set(sessions.map(({ id }) => id)).size).toBe(1);
  });

  test("is refused without a verified address, or with an invalid one", async () => {
    for (const email of [null, "", "not an address"]) {
      expect(await signInWithProvider(arrive({ email }), newDevice(), null)).toEqual({
        outcome: "refused",
        reason: "EmailUnverified",
      });
    }
  });

  test("counts in the limit on sign-ups, which does not apply to existing users", async () => {
    const device = newDevice();
    const known = arrive();
    await sessionOf(known);
    for (let made = 0; made < maximumSignUps; made++) await mayCreateAccount(device.address);

    expect(await signInWithProvider(arrive(), device, null)).toEqual({
      outcome: "refused",
      reason: "TooManyAccounts",
    });
    expect(await signInWithProvider(known, device, null)).toMatchObject({ outcome: "signed-in" });
  });
});

describe("a user with an account", () => {
  test("is found by their verified address, keeps password and sessions, and is notified", async () => {
    const { tenant, owner, session } = await newOwner({ isVerified: true });
    const providerUser = arrive({ email: owner.email });
    const arrived = await sessionOf(providerUser);

    expect(arrived).toMatchObject({
      id: owner.id,
      hasPassword: true,
      memberships: [{ role: "OWNER" }],
    });
    expect(await findLiveSession(session.sessionId)).not.toBeNull();
    expect((await auditOf(tenant.id)).slice(-2)).toEqual([
      {
        action: "user.account_linked",
        actorId: owner.id,
        targetId: owner.id,
        changes: { after: { provider: "GITHUB", email: owner.email } },
      },
      {
        action: "user.signed_in",
        actorId: owner.id,
        targetId: owner.id,
        changes: { after: { method: "GITHUB" } },
      },
    ]);
    const mail = await db().mail.findFirstOrThrow({
      where: { recipient: owner.email, kind: "account-linked" },
    });
    expect(openMail(mail)?.text).not.toContain("no longer valid");

    await sessionOf(providerUser);
    expect(
      (await auditOf(tenant.id)).filter(({ action }) => action === "user.account_linked"),
    ).toHaveLength(1);
  });

  test("and an unverified address loses the password, its links and every session to the verified owner", async () => {
    const { tenant, owner, session } = await newOwner({ isVerified: false });
    const reset = await createPasswordReset(owner.email);

    expect(await sessionOf(arrive({ email: owner.email }))).toMatchObject({
      id: owner.id,
      hasPassword: false,
    });

    expect(await findLiveSession(session.sessionId)).toBeNull();
    expect(await findPasswordReset(reset?.url.split("/").at(-1) ?? "")).toBeNull();
    expect(await signIn({ email: owner.email, password }, newDevice())).toEqual({
      outcome: "failed",
    });
    expect(
      (await db().user.findUniqueOrThrow({ where: { id: owner.id } })).emailVerifiedAt,
    ).not.toBeNull();
    expect(
      (await auditOf(tenant.id)).find(({ action }) => action === "user.account_linked")?.changes,
    ).toEqual({
      before: { hasPassword: true },
      after: { provider: "GITHUB", email: owner.email, hasPassword: false },
    });
    const mail = await db().mail.findFirstOrThrow({
      where: { recipient: owner.email, kind: "account-linked" },
    });
    expect(openMail(mail)?.text).toContain("no longer valid");
  });

  test("is not found by an address that is not verified", async () => {
    const { owner } = await newOwner({ isVerified: true });
    expect(await signInWithProvider(arrive({ email: null }), newDevice(), null)).toMatchObject({
      outcome: "refused",
    });
    expect(await db().providerAccount.count({ where: { userId: owner.id } })).toBe(0);
  });

  test("is known by the id of the account from then on, even if its address changes", async () => {
    const providerUser = arrive();
    const { id } = await sessionOf(providerUser);
    const { owner: other } = await newOwner({ isVerified: true });

    expect((await sessionOf({ ...providerUser, email: other.email })).id).toBe(id);
    expect((await sessionOf({ ...providerUser, email: null })).id).toBe(id);
    expect((await sessionOf({ ...providerUser, provider: "GOOGLE", email: other.email })).id).toBe(
      other.id,
    );
  });
});

describe("an account that changes during the sign-in", () => {
  test.each([
    ["password", "password_hash = 'another'"],
    ["second factor", "second_factor_at = now()"],
    ["address", "email = 'new-' || email"],
  ])("gets no session if its %s changes", async (_what, change) => {
    const { owner } = await newOwner({ isVerified: true });
    const providerUser = arrive({ email: owner.email });
    await sessionOf(providerUser);
    const where = { userId: owner.id };
    const before = await db().session.count({ where });
    const other = await pool().connect();
    try {
      await other.query("BEGIN");
      await other.query(`UPDATE users SET ${change} WHERE id = $1`, [owner.id]);
      const result = signInWithProvider(providerUser, newDevice(), null);
      let isDone = false;
      void result.finally(() => {
        isDone = true;
      });
      while (!isDone && !(await isWaiting())) await setImmediate();
      await other.query("COMMIT");
      expect(await result).toEqual({ outcome: "refused", reason: "AccountChanged" });
    } finally {
      other.release();
    }
    expect(await db().session.count({ where })).toBe(before);
  });
});

async function isWaiting(): Promise<boolean> {
  const { rowCount } = await pool().query(
    "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%FROM users%'",
  );
  return rowCount !== 0;
}

describe("a signed-in user", () => {
  test("proves their identity, and stays in the same session", async () => {
    const providerUser = arrive();
    const { id } = await sessionOf(providerUser);
    const long = await startSession(db(), id, newDevice(), {
      method: "GITHUB",
      now: new Date(Date.now() - proofLifetimeMs * 2),
    });
    const user = await findLiveSession(long.id);

    const again = await sessionOf(providerUser, user);
    expect(again.sessionId).toBe(long.id);
    expect(Date.now() - (again.provedAt?.getTime() ?? 0)).toBeLessThan(proofLifetimeMs);
  });

  test("is not replaced by another user, known or new", async () => {
    const user = await sessionOf(arrive());
    const known = arrive();
    await sessionOf(known);
    for (const other of [known, arrive()]) {
      expect(await signInWithProvider(other, newDevice(), user)).toEqual({
        outcome: "refused",
        reason: "OtherAccount",
      });
    }
  });

  test("sets a first password only with a fresh proof, and can then use both", async () => {
    const providerUser = arrive();
    const user = await sessionOf(providerUser);
    const input = { current: "", password: "quite another sentence" };

    expect(
      await changePassword(
        { ...user, provedAt: new Date(Date.now() - proofLifetimeMs * 2) },
        input,
        newDevice(),
      ),
    ).toEqual({
      outcome: "proof-needed",
    });
    expect(await hashOf(user.id)).toBeNull();
    const changed = await changePassword(user, input, newDevice());
    if (changed.outcome !== "changed") throw new Error(changed.outcome);

    expect(await findLiveSession(changed.sessionId)).toMatchObject({
      method: "GITHUB",
      hasPassword: true,
    });
    expect(
      await signIn({ email: user.email, password: input.password }, newDevice()),
    ).toMatchObject({ outcome: "signed-in" });
    expect((await sessionOf(providerUser)).id).toBe(user.id);
  });
});

test.each(["GITHUB", "GOOGLE"])("half of what %s takes is refused at the start", (name) => {
  const usable = { DATABASE_URL: "postgresql://localhost/x", SECRET_KEYS: process.env.SECRET_KEYS };
  for (const [set, missing] of [
    ["CLIENT_ID", "CLIENT_SECRET"],
    ["CLIENT_SECRET", "CLIENT_ID"],
  ]) {
    expect(() => parseEnv({ ...usable, [`${name}_${set}`]: "x" })).toThrow(
      `${name}_${missing}: is missing: set both ${name}_CLIENT_ID and ${name}_CLIENT_SECRET, or neither`,
    );
  }
  parseEnv({ ...usable, [`${name}_CLIENT_ID`]: "x", [`${name}_CLIENT_SECRET`]: "x" });
});

test.each([
  ["https://github.com", "https://api.github.com"],
  ["https://engines.ghe.com", "https://api.engines.ghe.com"],
  ["https://github.example.com", "https://github.example.com/api/v3"],
])("the API of %s is at %s", (url, api) => {
  expect(gitHubApi(url)).toBe(api);
});
