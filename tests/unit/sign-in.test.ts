import { describe, expect, test } from "vitest";
import { hashPassword } from "@/lib/auth/password";
import { signIn } from "@/lib/auth/service";
import { maximumFailures } from "@/lib/auth/throttle";
import { throttleAddress } from "@/lib/client-address";
import { db } from "@/lib/db";
import { findLiveSession } from "@/lib/sessions/service";
import { createAccount } from "@/lib/users/service";

const password = "na\u00efve caf\u00e9 du coin";
const passwordHash = await hashPassword(password);
let number = 0;

async function newUser() {
  const email = `ada${++number}@example.com`;
  await db().$transaction((transaction) => createAccount(transaction, { organisation: "Sign-in", name: "Ada", email, passwordHash }));
  return email;
}

/** Each test comes from a network of its own, so that none uses up another's attempts. */
const newDevice = () => ({ address: `10.1.${++number >> 8}.${number & 255}`, userAgent: "test" });

async function elapsedMs(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

test("the right password starts a session, however the address and its accents are typed", async () => {
  const email = await newUser();

  const result = await signIn({ email: ` ${email.toUpperCase()} `, password: password.normalize("NFD") }, newDevice());

  if (result.outcome !== "signed-in") throw new Error(result.outcome);
  expect(await findLiveSession(db(), result.sessionId)).toMatchObject({ email, memberships: [{ role: "OWNER" }] });
});

test("a wrong password, an unknown address and a user without a password get one answer after the same work", async () => {
  const wrong = { email: await newUser(), password: "wrong password" };
  const unknown = { email: "nobody@example.com", password };
  const without = { email: await newUser(), password };
  await db().user.update({ where: { email: without.email }, data: { passwordHash: null } });

  // In turns, so that whatever else the machine does at the moment slows all of them.
  const kinds = [wrong, unknown, without];
  const fastestMs = kinds.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round < 8; round++) {
    for (const [kind, credentials] of kinds.entries()) {
      const ms = await elapsedMs(async () => expect(await signIn(credentials, newDevice())).toEqual({ outcome: "failed" }));
      fastestMs[kind] = Math.min(ms, fastestMs[kind] ?? ms);
    }
  }
  expect(Math.min(...fastestMs)).toBeGreaterThan(Math.max(...fastestMs) / 2);
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

describe("after too many failures", () => {
  test("an account is closed to the right password, too, and nothing is hashed any more", async () => {
    const email = await newUser();
    for (let failure = 0; failure < maximumFailures.account; failure++) {
      expect(await signIn({ email, password: "wrong password" }, newDevice())).toEqual({ outcome: "failed" });
    }

    const hashMs = await elapsedMs(() => hashPassword(password));
    const closedMs = await elapsedMs(async () => {
      for (let attempt = 0; attempt < 20; attempt++) {
        expect(await signIn({ email: email.toUpperCase(), password }, newDevice())).toMatchObject({ outcome: "throttled" });
      }
    });
    expect(closedMs / 20).toBeLessThan(hashMs / 2);
  });

  test("guesses at the same moment are counted one by one", async () => {
    const email = await newUser();

    const results = await Promise.all(Array.from({ length: 40 }, () => signIn({ email, password: "wrong password" }, newDevice())));

    expect(results.filter(({ outcome }) => outcome === "failed")).toHaveLength(maximumFailures.account);
    expect(results.filter(({ outcome }) => outcome === "throttled")).toHaveLength(40 - maximumFailures.account);
  });

  test("an address that nobody has is closed like an account", async () => {
    const attempts = Array.from({ length: maximumFailures.account + 1 }, (_, attempt) => attempt);
    const outcomes = [];
    for (const _attempt of attempts)
      outcomes.push((await signIn({ email: "missing@example.com", password: "wrong password" }, newDevice())).outcome);

    expect(outcomes).toEqual([...Array(maximumFailures.account).fill("failed"), "throttled"]);
  });

  test("a network is closed for every account, and other networks are not", async () => {
    const email = await newUser();
    const device = newDevice();
    const guesses = Array.from({ length: maximumFailures.address + 10 }, (_, guess) => `guess${guess}@example.com`);

    const results = await Promise.all(guesses.map((guessed) => signIn({ email: guessed, password: "wrong password" }, device)));

    expect(results.filter(({ outcome }) => outcome === "failed")).toHaveLength(maximumFailures.address);
    expect(await signIn({ email, password }, device)).toMatchObject({ outcome: "throttled" });
    expect(await signIn({ email, password }, newDevice())).toMatchObject({ outcome: "signed-in" });
  });

  test("successes are not counted", async () => {
    const email = await newUser();
    const device = newDevice();
    for (let attempt = 0; attempt < maximumFailures.account + 5; attempt++) {
      expect(await signIn({ email, password }, device)).toMatchObject({ outcome: "signed-in" });
    }
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
