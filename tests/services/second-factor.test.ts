import { createHmac } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { changePassword } from "@/lib/auth/change-password";
import { withAccount } from "@/lib/auth/known-device";
import { hashPassword } from "@/lib/auth/password";
import { createPasswordReset, resetPassword } from "@/lib/auth/password-reset";
import { type ProviderUser, signInWithProvider } from "@/lib/auth/provider-sign-in";
import { flushRefusedAttempts } from "@/lib/auth/refused-attempts";
import {
  confirmCode,
  confirmPasskey,
  finishSignIn,
  signInWithPasskey,
} from "@/lib/auth/second-step";
import { confirmPassword, signIn } from "@/lib/auth/service";
import { failureLimits, maximumFailures } from "@/lib/auth/throttle";
import { openMail } from "@/lib/mail/service";
import { mutate } from "@/lib/platform/caller";
import { databaseWaits } from "@/lib/platform/database-waits";
import { db, pool } from "@/lib/platform/db";
import { setCurrentTime } from "@/lib/platform/time";
import { addPasskey, askToAdd, removePasskey } from "@/lib/second-factor/add-passkey";
import {
  beginAuthenticatorApp,
  confirmAuthenticatorApp,
  removeAuthenticatorApp,
} from "@/lib/second-factor/authenticator-app";
import { askToConfirm, askToSignIn, passkeySite } from "@/lib/second-factor/passkeys";
import { changeSecondFactorRequirement } from "@/lib/second-factor/requirement";
import { describeSecondFactor, replaceRecoveryCodes } from "@/lib/second-factor/service";
import { findStep, totp } from "@/lib/second-factor/totp";
import { findLiveSession, type SignedInUser } from "@/lib/sessions/service";
import { ProofNeeded, proofLifetimeMs } from "@/lib/step-up/proof";
import { newAuthenticator } from "../support/authenticator";
import { stopLimiterClock } from "../support/limiter-clock";
import { as, auditOf, moveAway, newMember, newOrganization, newSession } from "../support/people";

// Transactions wait for each other here, on any machine.
databaseWaits.lock = 60_000;

beforeEach(() => void stopLimiterClock());
afterEach(() => setCurrentTime(null));

const password = "correct horse battery";
const passwordHash = await hashPassword(password);
let number = 0;
const newDevice = () => ({ address: `10.8.${++number >> 8}.${number & 255}`, userAgent: "test" });
const stepMs = 30_000;
/** Times are parameters, so that no test waits for the next code. */
let time = Date.now();
const passTime = (ms: number) => {
  time += ms;
  setCurrentTime(() => new Date(time));
};

async function signedIn(userId: string): Promise<SignedInUser> {
  const { id } = await newSession(userId);
  await db().session.update({ where: { id }, data: { provedAt: new Date(time) } });
  const user = await findLiveSession(id);
  if (!user) throw new Error("the session does not count");
  return user;
}

async function newUser() {
  passTime(stepMs);
  const { tenant, owner } = await newOrganization(passwordHash);
  return { tenant, owner, user: await signedIn(owner.id) };
}

const base32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const fromBase32 = (text: string) => {
  const bits = [...text].map((letter) => base32.indexOf(letter).toString(2).padStart(5, "0"));
  return Buffer.from((bits.join("").match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
};

/** An authenticator app of its own: RFC 4226 and 6238, written again. */
const appOf = (secret: string) => () => {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(time / stepMs)));
  const digest = createHmac("sha1", fromBase32(secret)).update(counter).digest();
  const offset = (digest[19] ?? 0) % 16;
  const bits = digest.readUInt32BE(offset) % 2 ** 31;
  return String(bits % 1_000_000).padStart(6, "0");
};

async function withApp() {
  const { tenant, owner, user } = await newUser();
  const { secret, uri, qrCode } = await beginAuthenticatorApp(user, newDevice());
  const code = appOf(secret);
  const codes = await confirmAuthenticatorApp(user, code(), newDevice());
  return {
    ...{ tenant, owner, secret, uri, qrCode, code, codes: codes ?? [] },
    user: (await findLiveSession(user.sessionId)) ?? user,
  };
}

const site = passkeySite();
if (!site) throw new Error("passkeys need a host name");

async function addPasskeyTo(user: SignedInUser, name = "Laptop") {
  const authenticator = newAuthenticator(site ?? { id: "", origin: "" });
  const { options, challenge } = await askToAdd(user, newDevice());
  const response = authenticator.register(options);
  const codes = await addPasskey(user, { name, response }, challenge, newDevice());
  return { authenticator, codes };
}

async function withPasskey() {
  const made = await newUser();
  const { authenticator, codes } = await addPasskeyTo(made.user);
  const user = (await findLiveSession(made.user.sessionId)) ?? made.user;
  return { ...made, user, authenticator, codes: codes ?? [] };
}

async function pendingOf(email: string) {
  const result = await signIn({ email, password }, newDevice());
  if (result.outcome !== "second-step") throw new Error(result.outcome);
  return result.pending;
}

const mailsTo = async (recipient: string) =>
  (await db().mail.findMany({ where: { recipient }, orderBy: { id: "asc" } })).map((mail) => ({
    kind: mail.kind,
    text: openMail(mail)?.text ?? "",
  }));
const lastActions = async (tenantId: string, count: number) =>
  (await auditOf(tenantId)).slice(-count).map(({ action }) => action);

describe("codes of an authenticator app", () => {
  test.each([
    [59, "287082"],
    [1_111_111_109, "081804"],
    [1_111_111_111, "050471"],
    [1_234_567_890, "005924"],
    [2_000_000_000, "279037"],
    [20_000_000_000, "353130"],
  ])("are those of RFC 6238 at %i seconds", (seconds, code) => {
    const secret = Buffer.from("12345678901234567890");
    expect(totp(secret, Math.floor(seconds / 30))).toBe(code);
    const at = new Date(seconds * 1000);
    expect(findStep(secret, code, at)).toBe(Math.floor(seconds / 30));
    // A clock may be 30 seconds off, and no more.
    expect(findStep(secret, code, new Date(at.getTime() + 2 * stepMs))).toBeNull();
    expect(findStep(secret, code, new Date(at.getTime() - 2 * stepMs))).toBeNull();
  });

  test("are needed only once the first one was entered, which shows ten recovery codes", async () => {
    const { tenant, owner, user } = await newUser();
    const other = await newSession(owner.id);
    const { secret, uri, qrCode } = await beginAuthenticatorApp(user, newDevice());
    expect(uri).toBe(
      `otpauth://totp/Parlance:${encodeURIComponent(owner.email)}?secret=${secret}&issuer=Parlance`,
    );
    expect(qrCode.length).toBe(qrCode[0]?.length);
    expect((await signIn({ email: owner.email, password }, newDevice())).outcome).toBe("signed-in");
    await expect(confirmAuthenticatorApp(user, "000000", newDevice())).rejects.toThrow("incorrect");

    const codes = await confirmAuthenticatorApp(user, appOf(secret)(), newDevice());

    expect(new Set(codes).size).toBe(10);
    expect((await findLiveSession(user.sessionId))?.hasSecondFactor).toBe(true);
    // The other session was started without the second factor.
    expect(await findLiveSession(other.id)).toBeNull();
    expect(await lastActions(tenant.id, 1)).toEqual(["user.second_factor_changed"]);
    expect((await mailsTo(owner.email)).at(-1)).toMatchObject({
      kind: "second-factor-changed",
      text: expect.stringContaining("an authenticator app was added"),
    });
    // Neither the secret nor a code is stored as it is.
    const stored = JSON.stringify([
      await db().authenticatorApp.findUnique({ where: { userId: owner.id } }),
      await db().recoveryCode.findMany({ where: { userId: owner.id } }),
      await auditOf(tenant.id),
    ]);
    for (const text of [secret, fromBase32(secret).toString("base64"), ...(codes ?? [])])
      expect(stored).not.toContain(text);
  });

  test("are needed after the password, and each works once", async () => {
    const { tenant, owner, code } = await withApp();
    passTime(stepMs);
    const pending = await pendingOf(owner.email);

    const result = await finishSignIn(pending, code(), newDevice());

    if (result.outcome !== "signed-in") throw new Error(result.outcome);
    expect(await findLiveSession(result.sessionId)).toMatchObject({ id: owner.id });
    expect((await auditOf(tenant.id)).at(-1)).toMatchObject({
      action: "user.signed_in",
      changes: { after: { method: "PASSWORD", secondFactor: "authenticator app" } },
    });
    expect(await finishSignIn(pending, code(), newDevice())).toEqual({ outcome: "failed" });
    await flushRefusedAttempts();
    expect(await lastActions(tenant.id, 1)).toEqual(["user.second_factor_refused"]);
  });

  test("of one step sign in once, even if many requests send one concurrently", async () => {
    const { owner, code } = await withApp();
    passTime(stepMs);
    const pending = await pendingOf(owner.email);
    const results = await Promise.all(
      Array.from({ length: 4 }, () => finishSignIn(pending, code(), newDevice())),
    );
    expect(results.filter(({ outcome }) => outcome === "signed-in")).toHaveLength(1);
  });

  test("cannot be guessed from many networks", async () => {
    const { owner, code } = await withApp();
    passTime(stepMs);
    const pending = await pendingOf(owner.email);
    for (let guess = 0; guess < failureLimits[0].limit; guess++)
      expect(await finishSignIn(pending, "not it", newDevice())).toEqual({ outcome: "failed" });
    expect(await finishSignIn(pending, code(), newDevice())).toMatchObject({
      outcome: "throttled",
    });
  });

  test("cannot be guessed with browsers that signed in before the account had a second factor", async () => {
    const { owner, code } = await withApp();
    const { secondFactorAt } = await db().user.findUniqueOrThrow({ where: { id: owner.id } });
    passTime(stepMs);
    const pending = await pendingOf(owner.email);
    const from = (account: Parameters<typeof withAccount>[1]) => ({
      ...newDevice(),
      known: withAccount(null, account),
    });
    for (let guess = 0; guess < failureLimits[0].limit; guess++)
      expect(await finishSignIn(pending, "not it", from({ ...owner, passwordHash }))).toEqual({
        outcome: "failed",
      });
    const earlier = from({ ...owner, passwordHash });
    expect(await finishSignIn(pending, code(), earlier)).toMatchObject({ outcome: "throttled" });
    // The owner's own browser has used the second factor.
    const own = from({ ...owner, passwordHash, secondFactorAt });
    expect(await finishSignIn(pending, code(), own)).toMatchObject({ outcome: "signed-in" });
  });

  test("are needed by a sign-in that began before the first factor was added", async () => {
    const { owner } = await newUser();
    const client = await pool().connect();
    await client.query("BEGIN");
    const secondFactorAt = new Date(time);
    await client.query("UPDATE users SET second_factor_at = $2 WHERE id = $1", [
      owner.id,
      secondFactorAt,
    ]);
    const attempt = signIn({ email: owner.email, password }, newDevice());
    const ended = attempt.then(() => true);
    const waiting =
      "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%FROM users%'";
    const isWaiting = async () => ((await pool().query(waiting)).rowCount ?? 0) > 0;
    while (!(await isWaiting()) && !(await Promise.race([ended, setImmediate(false)])));
    await client.query("COMMIT");
    client.release();

    expect(await attempt).toEqual({ outcome: "failed" });
    expect((await signIn({ email: owner.email, password }, newDevice())).outcome).toBe(
      "second-step",
    );
  });

  test("are rejected after ten minutes, and after a change of the password", async () => {
    const { owner, code } = await withApp();
    const late = await pendingOf(owner.email);
    passTime(10 * 60_000 + 1);
    expect(await finishSignIn(late, code(), newDevice())).toEqual({ outcome: "over" });
    const outdated = await pendingOf(owner.email);
    await db().user.update({ where: { id: owner.id }, data: { passwordHash: "another" } });
    expect(await finishSignIn(outdated, code(), newDevice())).toEqual({ outcome: "over" });
    expect(await finishSignIn("forged", code(), newDevice())).toEqual({ outcome: "over" });
  });
});

describe("a recovery code", () => {
  test("signs in once, however it is typed, and its owner gets a mail", async () => {
    const { tenant, owner, codes } = await withApp();
    const pending = await pendingOf(owner.email);
    const typed = ` ${codes[3]?.toUpperCase().replaceAll("-", " ")} `;

    expect(await finishSignIn(pending, typed, newDevice())).toMatchObject({
      outcome: "signed-in",
    });

    expect(await finishSignIn(pending, typed, newDevice())).toEqual({ outcome: "failed" });
    const mails = await mailsTo(owner.email);
    expect(mails.find(({ kind }) => kind === "recovery-code-used")?.text).toContain(
      "You have 9 left.",
    );
    expect((await auditOf(tenant.id)).map(({ action }) => action)).toContain(
      "user.recovery_code_used",
    );
  });

  test("of an earlier set does not work", async () => {
    const { owner, user, codes } = await withApp();
    const renewed = await replaceRecoveryCodes(user, newDevice());
    const pending = await pendingOf(owner.email);
    expect(await finishSignIn(pending, codes[0], newDevice())).toEqual({ outcome: "failed" });
    expect(await finishSignIn(pending, renewed[0], newDevice())).toMatchObject({
      outcome: "signed-in",
    });
  });
});

describe("a passkey", () => {
  async function signInWith(
    { authenticate }: Pick<ReturnType<typeof newAuthenticator>, "authenticate">,
    deviation?: Parameters<ReturnType<typeof newAuthenticator>["authenticate"]>[1],
  ) {
    passTime(1);
    const { options, challenge } = await askToSignIn();
    return signInWithPasskey(authenticate(options, deviation), challenge, newDevice());
  }

  test("signs in on its own, and its challenge names no account", async () => {
    const { tenant, owner, authenticator, codes } = await withPasskey();
    expect(codes).toHaveLength(10);
    passTime(1);
    const { options, challenge } = await askToSignIn();
    expect(options.allowCredentials ?? []).toEqual([]);

    const result = await signInWithPasskey(
      authenticator.authenticate(options),
      challenge,
      newDevice(),
    );

    if (result.outcome !== "signed-in") throw new Error(result.outcome);
    expect(await findLiveSession(result.sessionId)).toMatchObject({
      ...{ id: owner.id, method: "PASSKEY" },
    });
    expect((await auditOf(tenant.id)).at(-1)).toMatchObject({
      action: "user.signed_in",
      changes: { after: { method: "PASSKEY" } },
    });
  });

  test("does not sign in twice with one response", async () => {
    const { authenticator } = await withPasskey();
    passTime(1);
    const { options, challenge } = await askToSignIn();
    const response = authenticator.authenticate(options, { counter: 0 });
    const send = () => signInWithPasskey(response, challenge, newDevice());
    const results = await Promise.all([send(), send(), send()]);
    expect(results.filter(({ outcome }) => outcome === "signed-in")).toHaveLength(1);
    expect(await send()).toEqual({ outcome: "failed" });
  });

  test.each([
    ["for another site", { origin: "https://parlance.example" }],
    ["without a fingerprint or PIN", { isVerified: false }],
    ["for another challenge", { challenge: "AAAA" }],
  ])("does not sign in %s", async (_, deviation) => {
    const { authenticator } = await withPasskey();
    expect(await signInWith(authenticator, deviation)).toEqual({ outcome: "failed" });
    expect((await signInWith(authenticator)).outcome).toBe("signed-in");
  });

  test("does not sign in with the signature of another key, or a challenge that is too old or for something else", async () => {
    const { authenticator, user } = await withPasskey();
    const stranger = newAuthenticator(site);
    const forged = (options: { challenge: string }) => ({
      ...stranger.authenticate(options),
      ...{ id: authenticator.id, rawId: authenticator.id },
    });
    expect(await signInWith({ authenticate: forged } as never)).toEqual({ outcome: "failed" });
    expect(await signInWith(stranger)).toEqual({ outcome: "failed" });

    const asked = await askToSignIn();
    passTime(5 * 60_000 + 1);
    const late = authenticator.authenticate(asked.options);
    expect(await signInWithPasskey(late, asked.challenge, newDevice())).toEqual({
      outcome: "failed",
    });
    const proof = await askToConfirm(user);
    const misused = authenticator.authenticate(proof.options);
    expect(await signInWithPasskey(misused, proof.challenge, newDevice())).toEqual({
      outcome: "failed",
    });
    expect(await signInWithPasskey(misused, null, newDevice())).toEqual({ outcome: "failed" });
    for (const nonsense of [null, "x", {}, { id: 1 }, { id: authenticator.id }])
      expect(await signInWithPasskey(nonsense, asked.challenge, newDevice())).toEqual({
        outcome: "failed",
      });
  });

  test("whose counter goes backward is a copy: it does not sign in, and owners see it", async () => {
    const { tenant, authenticator } = await withPasskey();
    expect((await signInWith(authenticator, { counter: 5 })).outcome).toBe("signed-in");
    for (const counter of [5, 4, 0])
      expect(await signInWith(authenticator, { counter })).toEqual({ outcome: "failed" });
    expect((await auditOf(tenant.id)).at(-1)).toMatchObject({
      action: "user.second_factor_refused",
      changes: { after: { passkey: "Laptop", reason: "its counter went backward" } },
    });
    expect((await signInWith(authenticator, { counter: 6 })).outcome).toBe("signed-in");
  });

  test("is added only by the session that asked, and only once", async () => {
    const { user, authenticator } = await withPasskey();
    const { options, challenge } = await askToAdd(user, newDevice());
    expect(options.excludeCredentials).toMatchObject([{ id: authenticator.id }]);
    const add = (response: unknown, by = user, of: typeof challenge | null = challenge) =>
      addPasskey(by, { name: "Phone", response }, of, newDevice());

    const stranger = (await newUser()).user;
    const response = newAuthenticator(site).register(options);
    await expect(add(response, stranger)).rejects.toThrow("not valid");
    await expect(add(response, user, null)).rejects.toThrow("not valid");
    await expect(add({ id: "x" })).rejects.toThrow("not valid");
    const unverified = newAuthenticator(site).register(options, { isVerified: false });
    await expect(add(unverified)).rejects.toThrow("not valid");
    const elsewhere = newAuthenticator(site).register(options, { origin: "https://evil.example" });
    await expect(add(elsewhere)).rejects.toThrow("not valid");
    expect(await add(response)).toBeNull();
    await expect(add(response)).rejects.toThrow("already added");
  });

  test("is stored with the transports that exist, whatever the browser sends", async () => {
    const { user } = await newUser();
    for (const [sent, stored] of [
      [["usb", "x\u0000".repeat(10_000), 1], ["usb"]],
      ["usb", []],
      [null, []],
    ]) {
      const authenticator = newAuthenticator(site);
      const { options, challenge } = await askToAdd(user, newDevice());
      const { response, ...rest } = authenticator.register(options);
      const sentResponse = { ...rest, response: { ...response, transports: sent } };
      await addPasskey(user, { name: "Key", response: sentResponse }, challenge, newDevice());
      const passkey = await db().passkey.findUniqueOrThrow({ where: { id: authenticator.id } });
      expect(passkey.transports).toEqual(stored);
    }
  });

  test("is refused if its id is longer than WebAuthn allows", async () => {
    const { user } = await newUser();
    const authenticator = newAuthenticator(site, 3_000);
    const { options, challenge } = await askToAdd(user, newDevice());
    const response = authenticator.register(options);
    const unsigned = { ...response, id: "short", rawId: "short" };
    for (const sent of [response, unsigned])
      await expect(
        addPasskey(user, { name: "Key", response: sent }, challenge, newDevice()),
      ).rejects.toThrow(sent === response ? "longer than 1,023 bytes" : /longer|not valid/);
  });

  test("signs in although strangers used up the attempts of its network", async () => {
    const { authenticator } = await withPasskey();
    const device = newDevice();
    const tryAt = async (using: typeof authenticator, to = device) => {
      passTime(1);
      const { options, challenge } = await askToSignIn();
      return (await signInWithPasskey(using.authenticate(options), challenge, to)).outcome;
    };
    for (let attempt = 0; attempt < maximumFailures; attempt++) await tryAt(newAuthenticator(site));
    expect(await tryAt(newAuthenticator(site))).toBe("throttled");
    expect(await tryAt(authenticator)).toBe("signed-in");
  });

  test("of another user is not removed", async () => {
    const { authenticator } = await withPasskey();
    await removePasskey((await newUser()).user, authenticator.id, newDevice());
    expect((await signInWith(authenticator)).outcome).toBe("signed-in");
  });
});

describe("a user with a second factor", () => {
  test("confirms their identity with it, and not with the password", async () => {
    const { user, code, codes } = await withApp();
    const authenticator = (await addPasskeyTo(user)).authenticator;
    const old = new Date(time - 2 * proofLifetimeMs);
    const provedAt = async () => {
      const where = { id: user.sessionId };
      const { provedAt: at } = await db().session.findUniqueOrThrow({ where });
      await db().session.update({ where, data: { provedAt: old } });
      return at?.getTime() === old.getTime() ? "old" : "fresh";
    };
    await provedAt();

    expect(await confirmPassword(user, password, newDevice())).toEqual({ outcome: "code-needed" });
    expect(await confirmCode(user, "000000", newDevice())).toEqual({ outcome: "failed" });
    expect(await provedAt()).toBe("old");
    passTime(stepMs);
    expect(await confirmCode(user, code(), newDevice())).toEqual({ outcome: "confirmed" });
    expect(await provedAt()).toBe("fresh");
    expect(await confirmCode(user, code(), newDevice())).toEqual({ outcome: "failed" });
    expect(await confirmCode(user, codes[0], newDevice())).toEqual({ outcome: "confirmed" });
    expect(await provedAt()).toBe("fresh");
    const { options, challenge } = await askToConfirm(user);
    const response = authenticator.authenticate(options);
    const other = (await withPasskey()).user;
    expect(await confirmPasskey(other, response, challenge, newDevice())).toEqual({
      outcome: "failed",
    });
    expect(await confirmPasskey(user, response, challenge, newDevice())).toEqual({
      outcome: "confirmed",
    });
    expect(await provedAt()).toBe("fresh");
  });

  test("cannot change the password or the second factor without a fresh proof", async () => {
    const { tenant, user } = await withApp();
    const where = { id: user.sessionId };
    await db().session.update({
      where,
      data: { provedAt: new Date(time - proofLifetimeMs - 1) },
    });
    const stale = (await findLiveSession(user.sessionId)) ?? user;
    const next = "quite another sentence";
    expect(await changePassword(stale, { current: password, password: next }, newDevice())).toEqual(
      { outcome: "proof-needed" },
    );
    for (const change of [
      () => askToAdd(stale, newDevice()),
      () => addPasskey(stale, { name: "x", response: {} }, null, newDevice()),
      () => beginAuthenticatorApp(stale, newDevice()),
      () => confirmAuthenticatorApp(stale, "000000", newDevice()),
      () => removeAuthenticatorApp(stale, newDevice()),
      () => removePasskey(stale, "x", newDevice()),
      () => replaceRecoveryCodes(stale, newDevice()),
    ]) {
      await expect(change()).rejects.toThrow(ProofNeeded);
      expect(await lastActions(tenant.id, 1)).toEqual(["user.confirmation_required"]);
    }
    expect((await describeSecondFactor(user)).recoveryCodes).toBe(10);
  });

  test("still needs it after a password reset", async () => {
    const { owner, user, code } = await withApp();
    await db().user.update({ where: { id: owner.id }, data: { emailVerifiedAt: new Date(time) } });
    const made = await createPasswordReset(owner.email);
    passTime(stepMs);

    const reset = await resetPassword(
      made?.url.split("/").at(-1) ?? "",
      "quite another sentence",
      newDevice(),
    );

    if (reset?.outcome !== "second-step") throw new Error(reset?.outcome);
    expect(await findLiveSession(user.sessionId)).toBeNull();
    expect(await db().session.count({ where: { userId: owner.id, revokedAt: null } })).toBe(0);
    expect(await finishSignIn(reset.pending, code(), newDevice())).toMatchObject({
      outcome: "signed-in",
    });
  });

  test("loses it to the real owner of an address that was never confirmed", async () => {
    const { tenant, owner } = await withApp();
    const made = await createPasswordReset(owner.email);
    const reset = await resetPassword(
      made?.url.split("/").at(-1) ?? "",
      "quite another sentence",
      newDevice(),
    );
    if (reset?.outcome !== "signed-in") throw new Error(reset?.outcome);
    expect((await findLiveSession(reset.sessionId))?.hasSecondFactor).toBe(false);
    expect((await auditOf(tenant.id)).map(({ action }) => action)).toContain(
      "user.second_factor_changed",
    );
  });

  test("needs it after signing in with a provider, which does not confirm their identity either", async () => {
    const { owner, user, code } = await withApp();
    await db().user.update({ where: { id: owner.id }, data: { emailVerifiedAt: new Date(time) } });
    const arrival: ProviderUser = {
      provider: "GITHUB",
      accountId: `gh-${++number}`,
      name: "Ada",
      email: owner.email,
    };
    const result = await signInWithProvider(arrival, newDevice(), null);
    if (result.outcome !== "second-step") throw new Error(result.outcome);
    const links = () => db().providerAccount.count({ where: { userId: owner.id } });
    await signInWithProvider(arrival, newDevice(), user);
    expect(await finishSignIn(result.pending, "000000", newDevice())).toEqual({
      outcome: "failed",
    });
    expect(await links()).toBe(0);
    expect((await mailsTo(owner.email)).map(({ kind }) => kind)).not.toContain("account-linked");
    passTime(stepMs);
    const finished = await finishSignIn(result.pending, code(), newDevice());
    if (finished.outcome !== "signed-in") throw new Error(finished.outcome);
    expect((await findLiveSession(finished.sessionId))?.method).toBe("GITHUB");
    expect(await links()).toBe(1);

    const where = { id: user.sessionId };
    const old = new Date(time - 2 * proofLifetimeMs);
    await db().session.update({ where, data: { provedAt: old } });
    await signInWithProvider(arrival, newDevice(), await findLiveSession(user.sessionId));
    expect((await db().session.findUniqueOrThrow({ where })).provedAt).toEqual(old);
  });

  test("starts over if the address of the account changes before the second step", async () => {
    const { owner, code } = await withApp();
    const pending = await pendingOf(owner.email);
    await db().user.update({ where: { id: owner.id }, data: { email: `new-${owner.email}` } });
    passTime(stepMs);
    expect(await finishSignIn(pending, code(), newDevice())).toEqual({ outcome: "over" });
  });

  test("can remove the last factor, with a mail, and then signs in with the password alone", async () => {
    const { owner, user } = await withApp();
    const { authenticator } = await addPasskeyTo(user);
    await removeAuthenticatorApp(user, newDevice());
    expect((await signIn({ email: owner.email, password }, newDevice())).outcome).toBe(
      "second-step",
    );
    await removePasskey(user, authenticator.id, newDevice());
    expect((await signIn({ email: owner.email, password }, newDevice())).outcome).toBe("signed-in");
    expect(await db().recoveryCode.count({ where: { userId: owner.id } })).toBe(0);
    expect((await mailsTo(owner.email)).map(({ kind }) => kind).slice(-4, -1)).toContain(
      "second-factor-changed",
    );
  });
});

describe("an organization that requires a second factor", () => {
  test("has an owner with a second factor, and its members cannot remove their last one", async () => {
    const { tenant, owner, user } = await newUser();
    const signed = as(owner);
    const identity = { ...signed, actor: { ...signed.actor, provedAt: new Date(time) } };
    const require = (isRequired: boolean) =>
      mutate(identity as typeof signed, (caller) =>
        changeSecondFactorRequirement(caller, isRequired),
      );
    await expect(require(true)).rejects.toThrow("in your own profile first");

    const { authenticator } = await addPasskeyTo(user);
    await require(true);

    expect((await auditOf(tenant.id)).at(-1)).toMatchObject({
      action: "organization.second_factor_changed",
      changes: { before: { isRequired: false }, after: { isRequired: true } },
    });
    await expect(removePasskey(user, authenticator.id, newDevice())).rejects.toThrow(tenant.name);
    const member = await newMember(tenant.id, "MEMBER");
    expect(await signedIn(member.id)).toMatchObject({
      hasSecondFactor: false,
      memberships: [{ tenant: { requiresSecondFactor: true } }],
    });
    await require(false);
    await removePasskey(user, authenticator.id, newDevice());
  });

  test("has no say here once it moved to another installation", async () => {
    const { tenant, user } = await newUser();
    const { authenticator } = await addPasskeyTo(user);
    await db().tenant.update({ where: { id: tenant.id }, data: { requiresSecondFactor: true } });
    await moveAway(tenant.id);
    await removePasskey(user, authenticator.id, newDevice());
    expect(await signedIn(user.id)).toMatchObject({ hasSecondFactor: false });
  });

  test("does not stop a suspended member from removing their last one", async () => {
    const { tenant } = await newOrganization();
    await db().tenant.update({ where: { id: tenant.id }, data: { requiresSecondFactor: true } });
    const { user } = await withPasskey();
    await db().membership.create({
      data: {
        ...{ tenantId: tenant.id, userId: user.id, role: "MEMBER" },
        ...{ createdAt: new Date(), suspendedAt: new Date() },
      },
    });
    const [passkey] = (await describeSecondFactor(user)).passkeys;
    await removePasskey(user, passkey?.id ?? "", newDevice());
    expect((await describeSecondFactor(user)).passkeys).toEqual([]);
  });
});
