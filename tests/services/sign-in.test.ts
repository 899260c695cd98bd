import { encode } from "next-auth/jwt";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  hasSignedInWith,
  openKnownDevice,
  sealKnownDevice,
  withAccount,
} from "@/lib/auth/known-device";
import * as passwords from "@/lib/auth/password";
import { signIn } from "@/lib/auth/service";
import {
  attackThreshold,
  failureLimits,
  failuresPerNetworkUnderAttack,
  maximumFailures,
  throttleFailures,
} from "@/lib/auth/throttle";
import { throttleAddress } from "@/lib/platform/client-address";
import { db } from "@/lib/platform/db";
import { type Device, findLiveSession } from "@/lib/sessions/service";
import { createAccount } from "@/lib/users/service";
import { stopLimiterClock } from "../support/limiter-clock";

const password = "na\u00efve caf\u00e9 du coin";
const passwordHash = await passwords.hashPassword(password);
let number = 0;
let clock: ReturnType<typeof stopLimiterClock>;
beforeEach(() => {
  clock = stopLimiterClock();
});
afterEach(() => vi.restoreAllMocks());

async function newUser() {
  const email = `ada${++number}@example.com`;
  await db().$transaction((transaction) =>
    createAccount(transaction, { organization: "Sign-in", name: "Ada", email, passwordHash }),
  );
  return email;
}

/** Each test has its own network, so that none uses up the attempts of another. */
const newDevice = () => ({ address: `10.1.${++number >> 8}.${number & 255}`, userAgent: "test" });

/**
 * Processor time, hashing in other threads included: other processes of a busy machine do not
 * count.
 */
async function processorMs(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

test("the right password starts a session, for any spelling of the address and its accents", async () => {
  const email = await newUser();

  const result = await signIn(
    { email: ` ${email.toUpperCase()} `, password: password.normalize("NFD") },
    newDevice(),
  );

  if (result.outcome !== "signed-in") throw new Error(result.outcome);
  expect(await findLiveSession(result.sessionId)).toMatchObject({
    email,
    memberships: [{ role: "OWNER" }],
  });
});

test("a wrong password, an unknown address and a user without a password get the same response after the same work", async () => {
  const wrong = { email: await newUser(), password: "wrong password" };
  const unknown = { email: "nobody@example.com", password };
  const without = { email: await newUser(), password };
  await db().user.update({ where: { email: without.email }, data: { passwordHash: null } });

  const kinds = [wrong, unknown, without];
  const leastMs = kinds.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round < 8; round++) {
    for (const [kind, credentials] of kinds.entries()) {
      const ms = await processorMs(async () =>
        expect(await signIn(credentials, newDevice())).toEqual({ outcome: "failed" }),
      );
      leastMs[kind] = Math.min(ms, leastMs[kind] ?? ms);
    }
  }
  expect(Math.min(...leastMs)).toBeGreaterThan(Math.max(...leastMs) / 2);
});

test.each([
  ["no address", { email: "", password }],
  ["an address that is none", { email: "ada", password }],
  ["no password", { email: "ada@example.com", password: "" }],
  ["a password longer than any", { email: "ada@example.com", password: "x".repeat(100_000) }],
  ["something other than text", { email: { contains: "@" }, password: ["x"] }],
  ["nothing", undefined],
])("%s is a wrong password, too", async (_title, credentials) => {
  expect(await signIn(credentials, newDevice())).toEqual({ outcome: "failed" });
});

const guess = (email: string, device: Device) =>
  signIn({ email, password: "wrong password" }, device);

describe("after too many failures", () => {
  test("even the right password is refused for a network, without hashing it", async () => {
    const email = await newUser();
    const device = newDevice();
    for (let failure = 0; failure < failureLimits[0].limit; failure++)
      expect(await guess(email, device)).toEqual({ outcome: "failed" });

    const verify = vi.spyOn(passwords, "verifyPassword");
    expect(await signIn({ email: email.toUpperCase(), password }, device)).toMatchObject({
      outcome: "throttled",
    });
    expect(verify).not.toHaveBeenCalled();
  });

  test("the wait grows with the failures, and ends", async () => {
    const email = await newUser();
    const device = newDevice();
    const waits = [];
    for (let failures = 1; failures <= 20; failures++) {
      expect(await guess(email, device)).toEqual({ outcome: "failed" });
      const next = failures % 5 === 0 ? await signIn({ email, password }, device) : null;
      if (next?.outcome !== "throttled") continue;
      waits.push(next.retryAfterSeconds);
      clock.pass(next.retryAfterSeconds * 1_000);
    }
    expect(waits).toHaveLength(4);
    expect(waits[0]).toBeLessThanOrEqual(60);
    expect(waits[1]).toBeGreaterThan(10 * 60);
    expect(waits[3]).toBeGreaterThan(3 * 3_600);
    expect(await signIn({ email, password }, device)).toMatchObject({ outcome: "signed-in" });
  });

  test("concurrent guesses are counted one by one", async () => {
    const email = await newUser();
    const device = newDevice();

    const results = await Promise.all(Array.from({ length: 20 }, () => guess(email, device)));

    expect(results.filter(({ outcome }) => outcome === "failed")).toHaveLength(
      failureLimits[0].limit,
    );
    expect(results.filter(({ outcome }) => outcome === "throttled")).toHaveLength(
      20 - failureLimits[0].limit,
    );
  });

  test("an unknown address is throttled like an account", async () => {
    const device = newDevice();
    const outcomes = [];
    for (let attempt = 0; attempt <= failureLimits[0].limit; attempt++)
      outcomes.push((await guess("missing@example.com", device)).outcome);

    expect(outcomes).toEqual([...Array(failureLimits[0].limit).fill("failed"), "throttled"]);
  });

  test("a network is refused for every account, and other networks are not", async () => {
    const email = await newUser();
    const device = newDevice();
    // Credentials that no account can have cost no hash.
    for (let failure = 0; failure < maximumFailures; failure++)
      await signIn({ email: "nobody", password: "" }, device);

    expect(await signIn({ email, password }, device)).toMatchObject({ outcome: "throttled" });
    expect(await signIn({ email, password }, newDevice())).toMatchObject({ outcome: "signed-in" });
  });

  test("successes are not counted", async () => {
    const email = await newUser();
    const device = newDevice();
    for (let attempt = 0; attempt < failureLimits[0].limit + 2; attempt++) {
      expect(await signIn({ email, password }, device)).toMatchObject({ outcome: "signed-in" });
    }
  });
});

describe("strangers lock no one out", () => {
  test("wrong passwords from other networks never refuse the right one", async () => {
    const email = await newUser();
    for (let network = 0; network < 3; network++) {
      const device = newDevice();
      for (let failure = 0; failure <= failureLimits[0].limit; failure++)
        await guess(email, device);
      expect(await guess(email, device)).toMatchObject({ outcome: "throttled" });
    }
    expect(await signIn({ email, password }, newDevice())).toMatchObject({ outcome: "signed-in" });
  });

  test("a device that signed in to the account before gets in from a network that strangers used up", async () => {
    const email = await newUser();
    const device = newDevice();
    for (let failure = 0; failure < failureLimits[0].limit; failure++) await guess(email, device);
    for (let failure = 0; failure < maximumFailures; failure++) await signIn(undefined, device);
    const known = withAccount(null, { email, passwordHash });

    expect(await signIn({ email, password }, device)).toMatchObject({ outcome: "throttled" });
    expect(await signIn({ email, password }, { ...device, known })).toMatchObject({
      outcome: "signed-in",
    });
  });

  test("a device has its own count, and only for the accounts that signed in with it", async () => {
    const [email, other] = [await newUser(), await newUser()];
    const known = withAccount(null, { email, passwordHash });
    const device = { ...newDevice(), known };
    for (let failure = 0; failure < failureLimits[0].limit; failure++) await guess(email, device);
    expect(await signIn({ email, password }, device)).toMatchObject({ outcome: "throttled" });
    expect(await signIn({ email, password }, { ...device, known: null })).toMatchObject({
      outcome: "signed-in",
    });

    for (let failure = 0; failure < failureLimits[0].limit; failure++)
      await guess(other, { ...device, address: newDevice().address });
    const elsewhere = newDevice();
    for (let failure = 0; failure < failureLimits[0].limit; failure++)
      await guess(other, elsewhere);
    expect(await signIn({ email: other, password }, { ...elsewhere, known })).toMatchObject({
      outcome: "throttled",
    });
  });

  test("many networks guessing together get few guesses each, and a new network still lets the owner in", async () => {
    const email = await newUser();
    for (let failure = 0; failure < attackThreshold; failure++)
      await throttleFailures(email, newDevice(), async () => null);

    const device = newDevice();
    const outcomes = [];
    for (let attempt = 0; attempt <= failuresPerNetworkUnderAttack; attempt++)
      outcomes.push((await guess(email, device)).outcome);
    expect(outcomes).toEqual([...Array(failuresPerNetworkUnderAttack).fill("failed"), "throttled"]);

    expect(await signIn({ email, password }, newDevice())).toMatchObject({ outcome: "signed-in" });
  });
});

describe("the cookie of a known device", () => {
  test("names the device and its accounts, and is invalid once altered or sealed for another purpose", async () => {
    const device = withAccount(null, { email: "ada@example.com", passwordHash });
    const sealed = await sealKnownDevice(device);

    expect(await openKnownDevice(sealed)).toEqual(device);
    expect(await openKnownDevice(`${sealed.slice(0, -4)}AAAA`)).toBeNull();
    const session = await encode({
      token: { ...device },
      secret: process.env.NEXTAUTH_SECRET ?? "",
    });
    expect(await openKnownDevice(session)).toBeNull();
    expect(await openKnownDevice(undefined)).toBeNull();
  });

  test("holds the five accounts that signed in last, and no account whose password has changed since", () => {
    let device = withAccount(null, { email: "ada0@example.com", passwordHash });
    for (let account = 1; account <= 5; account++)
      device = withAccount(device, { email: `ada${account}@example.com`, passwordHash });

    expect(hasSignedInWith(device, { email: "ada0@example.com", passwordHash })).toBe(false);
    expect(hasSignedInWith(device, { email: "ada5@example.com", passwordHash })).toBe(true);
    expect(hasSignedInWith(device, { email: "ada5@example.com", passwordHash: "another" })).toBe(
      false,
    );
  });
});

test.each([
  ["203.0.113.9", "203.0.113.9"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:0DB8:0001:0002::1", "2001:db8:1:2::/64"],
  ["2001:db8::1", "2001:db8:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
  [null, "unknown"],
])("%s counts as %s", (address, counted) => {
  expect(throttleAddress(address)).toBe(counted);
});
