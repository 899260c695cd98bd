import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { createApiKey } from "@/lib/api-keys/service";
import { hashPassword } from "@/lib/auth/password";
import { confirmPassword, signIn } from "@/lib/auth/service";
import { failureLimits } from "@/lib/auth/throttle";
import { type Actor, type Identity, mutate } from "@/lib/platform/caller";
import { db } from "@/lib/platform/db";
import { setCurrentTime } from "@/lib/platform/time";
import { findLiveSession, revokeSessions, startSession } from "@/lib/sessions/service";
import { ProofNeeded, proofLifetimeMs, requireRecentProof } from "@/lib/step-up/proof";
import { createAccount } from "@/lib/users/service";
import { createWebhook, updateWebhook } from "@/lib/webhooks/service";
import type { Environment } from "@/prisma/generated/enums";
import { stopLimiterClock } from "../support/limiter-clock";

const password = "correct horse battery";
let passwordHash = "";
let number = 0;
beforeAll(async () => {
  passwordHash = await hashPassword(password);
});
beforeEach(() => void stopLimiterClock());
afterEach(() => setCurrentTime(null));

const now = new Date("2026-03-01T08:00:00.000Z");
const before = (milliseconds: number) => new Date(now.getTime() - milliseconds);
const identity = (actor: Actor): Identity => ({
  partition: { tenantId: "ten_1", environment: "live" },
  actor,
  request: null,
  address: null,
});
const owner = (provedAt?: Date | null): Actor => ({
  type: "USER",
  id: "usr_1",
  role: "OWNER",
  ...(provedAt !== undefined && { provedAt }),
});

async function newSession() {
  const account = {
    organization: "Proofs",
    name: "Ada",
    email: `ada${++number}@example.com`,
    passwordHash,
  };
  const { user, tenant } = await db().$transaction((transaction) =>
    createAccount(transaction, account),
  );
  const { id } = await startSession(
    db(),
    user.id,
    { address: null, userAgent: null },
    { now: before(proofLifetimeMs * 2) },
  );
  return {
    email: user.email,
    userId: user.id,
    sessionId: id,
    tenantId: tenant.id,
    device: { address: `10.3.0.${number}`, userAgent: null },
  };
}
const provedAt = async (sessionId: string) =>
  (await db().session.findUniqueOrThrow({ where: { id: sessionId } })).provedAt;

test("a proof is valid for ten minutes and no longer, and a missing one is not", () => {
  setCurrentTime(() => now);
  requireRecentProof(identity(owner(before(proofLifetimeMs))), "do this");
  for (const actor of [owner(before(proofLifetimeMs + 1)), owner(null), owner()]) {
    expect(() => requireRecentProof(identity(actor), "do this")).toThrow(ProofNeeded);
  }
});

test("keys, jobs and operators need no proof", () => {
  for (const type of ["API_KEY", "SYSTEM", "OPERATOR"] as const)
    requireRecentProof(identity({ type, id: "x" }), "do this");
});

test("signing in is a proof, and so is confirming the password", async () => {
  const session = await newSession();
  expect(await confirmPassword(session, "wrong password", session.device)).toEqual({
    outcome: "failed",
  });
  expect(await provedAt(session.sessionId)).toEqual(before(proofLifetimeMs * 2));

  const start = Date.now();
  expect(await confirmPassword(session, password, session.device)).toEqual({
    outcome: "confirmed",
  });
  expect((await provedAt(session.sessionId))?.getTime()).toBeGreaterThanOrEqual(start);

  const signedIn = await signIn({ email: session.email, password }, session.device);
  if (signedIn.outcome !== "signed-in") throw new Error(signedIn.outcome);
  expect((await findLiveSession(signedIn.sessionId))?.provedAt?.getTime()).toBeGreaterThanOrEqual(
    start,
  );
});

test("guesses count for the session, from any network, and not for other sessions of its owner", async () => {
  const session = await newSession();
  const other = await startSession(db(), session.userId, session.device);
  for (let guess = 0; guess < failureLimits[0].limit; guess++) {
    const device = { address: `10.3.1.${guess}`, userAgent: null };
    expect(await confirmPassword(session, `wrong password ${guess}`, device)).toEqual({
      outcome: "failed",
    });
  }
  expect(await confirmPassword(session, password, session.device)).toMatchObject({
    outcome: "throttled",
  });
  expect(
    await confirmPassword({ ...session, sessionId: other.id }, password, session.device),
  ).toEqual({ outcome: "confirmed" });
});

test("wrong passwords of strangers, also from the owner's network, never block the proof of a signed-in owner", async () => {
  const session = await newSession();
  for (let guess = 0; guess < failureLimits[0].limit; guess++) {
    expect(
      await signIn({ email: session.email, password: "wrong password" }, session.device),
    ).toEqual({ outcome: "failed" });
  }
  expect(await signIn({ email: session.email, password }, session.device)).toMatchObject({
    outcome: "throttled",
  });
  expect(await confirmPassword(session, password, session.device)).toEqual({
    outcome: "confirmed",
  });
});

test("a revoked session gets no new proof", async () => {
  const session = await newSession();
  await revokeSessions(db(), session.userId);
  await confirmPassword(session, password, session.device);
  expect(await provedAt(session.sessionId)).toEqual(before(proofLifetimeMs * 2));
});

test("a person without a password cannot confirm one", async () => {
  const session = await newSession();
  await db().user.update({ where: { id: session.userId }, data: { passwordHash: null } });
  expect(await confirmPassword(session, password, session.device)).toEqual({ outcome: "failed" });
  expect((await findLiveSession(session.sessionId, before(proofLifetimeMs)))?.hasPassword).toBe(
    false,
  );
});

test("a live key needs a fresh proof, a test key does not", async () => {
  const { tenantId, userId } = await newSession();
  const create = (environment: Environment, proof: Date | null) =>
    mutate(
      {
        partition: { tenantId, environment },
        actor: { type: "USER", id: userId, role: "OWNER", provedAt: proof },
        request: null,
        address: null,
      },
      (caller) => createApiKey(caller, { name: "key", scopes: ["read:usage"] }),
    );
  await expect(create("live", null)).rejects.toThrow(ProofNeeded);
  expect((await create("live", new Date())).key).toMatch(/_live_/);
  expect((await create("test", null)).key).toMatch(/_test_/);
});

test("whatever decides what a live webhook sends and to whom needs a fresh proof, its description does not", async () => {
  const { tenantId, userId } = await newSession();
  const acting = (provedAt: Date | null): Identity => ({
    partition: { tenantId, environment: "live" },
    actor: { type: "USER", id: userId, role: "OWNER", provedAt },
    request: null,
    address: null,
  });
  const url = "https://example.com/hook";
  const { id } = await mutate(acting(new Date()), (caller) =>
    createWebhook(caller, { url, events: ["message.sent"], metadata: {} }),
  );
  const change = (patch: Parameters<typeof updateWebhook>[2]) =>
    mutate(acting(null), (caller) => updateWebhook(caller, id, patch));
  for (const patch of [
    { url: `${url}/other` },
    { events: ["*" as const] },
    { filter: { channelId: "web" } },
    { headers: { "X-Team": "support" } },
    { acceptsReplies: true },
    { signatureScheme: "both" as const },
    { status: "DISABLED" as const },
  ])
    await expect(change(patch), JSON.stringify(patch)).rejects.toThrow(ProofNeeded);
  expect(await change({ description: "Orders" })).toMatchObject({
    description: "Orders",
    headerNames: [],
    publicKeys: [],
  });
});
