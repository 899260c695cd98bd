import { type Db, runSql } from "@/lib/platform/db";
import { env, sessionLifetimeHours } from "@/lib/platform/env";
import { logOf } from "@/lib/platform/log";
import { newId } from "@/lib/resources/ids";
import type { Role, SignInMethod } from "@/prisma/generated/enums";
import { liveSessionStatement } from "./service.sql";

const log = logOf("auth");

/** A session that is not used for SESSION_IDLE_HOURS ends earlier. */
export const sessionLifetimeSeconds = sessionLifetimeHours * 60 * 60;

/**
 * A browser that someone signed in with before, according to its own encrypted cookie
 * (lib/auth/known-device.ts): a random id, and the accounts that signed in with it, each with a
 * fingerprint of its password and second factor at that time.
 */
export type KnownDevice = { id: string; accounts: Record<string, string> };

export type Device = {
  address: string | null;
  userAgent: string | null;
  known?: KnownDevice | null;
};

type NewSession = { method?: SignInMethod; now?: Date };

/** Signing in also counts as a proof. */
export function startSession(
  transaction: Db,
  userId: string,
  device: Device,
  { method = "PASSWORD", now = new Date() }: NewSession = {},
) {
  const expiresAt = new Date(now.getTime() + sessionLifetimeSeconds * 1000);
  const id = newId("session", now);
  const { address } = device;
  const userAgent = device.userAgent?.slice(0, 500) ?? null;
  const times = { createdAt: now, provedAt: now, lastSeenAt: now, expiresAt };
  return transaction.session.create({ data: { id, userId, method, ...times, address, userAgent } });
}

/**
 * The user of this session and their memberships; null once it was revoked or has expired. Roles
 * are read here for each request, so a changed role takes effect immediately.
 */
export async function findLiveSession(id: string, now = new Date()): Promise<SignedInUser | null> {
  const [found] = await runSql<SignedInUser>(
    liveSessionStatement({ id, now, usedSince: usedSince(now) }),
  );
  return found ?? null;
}

export type SignedInUser = {
  sessionId: string;
  method: SignInMethod;
  provedAt: Date | null;
  lastSeenAt: Date | null;
  expiresAt: Date;
  id: string;
  name: string;
  email: string;
  hasPassword: boolean;
  isEmailVerified: boolean;
  hasSecondFactor: boolean;
  /** Those that moved to another installation come last: the first one is where the user starts. */
  memberships: {
    role: Role;
    tenant: {
      id: string;
      slug: string;
      name: string;
      requiresSecondFactor: boolean;
      /** The origin of the installation that has the organization now. */
      movedTo: string | null;
    };
  }[];
};

/** Not revoked, not expired, and used recently enough. */
function live(now: Date) {
  return { revokedAt: null, expiresAt: { gt: now }, lastSeenAt: { gt: usedSince(now) } };
}

const usedSince = (now: Date) => new Date(now.getTime() - env().SESSION_IDLE_HOURS * 3_600_000);

/** What a known device remembers of the session's user. */
export async function findAccountOfSession(transaction: Db, id: string) {
  const select = { user: { select: { email: true, passwordHash: true, secondFactorAt: true } } };
  return (await transaction.session.findUnique({ where: { id }, select }))?.user ?? null;
}

/** When the session's user last proved their identity; null once it was revoked. */
export function findProof(transaction: Db, id: string) {
  const select = { provedAt: true, user: { select: { emailVerifiedAt: true } } };
  return transaction.session.findUnique({ where: { id, revokedAt: null }, select });
}

/**
 * Records that the session's user has just proved their identity again.
 * @returns false if the session is no longer valid
 */
export async function renewProof(transaction: Db, id: string, now = new Date()): Promise<boolean> {
  const { count } = await transaction.session.updateMany({
    where: { id, revokedAt: null },
    data: { provedAt: now },
  });
  return count > 0;
}

/** Valid sessions, newest first. */
export async function listSessions(transaction: Db, userId: string, now = new Date()) {
  return transaction.session.findMany({
    where: { userId, ...live(now) },
    orderBy: { createdAt: "desc" },
    take: 50,
    select: {
      id: true,
      method: true,
      createdAt: true,
      lastSeenAt: true,
      address: true,
      userAgent: true,
    },
  });
}

/** @returns the session that was ended; null if there was none or it belongs to another user */
export async function revokeSession(transaction: Db, userId: string, id: string, now = new Date()) {
  const ended = await transaction.session.updateManyAndReturn({
    where: { id, userId, revokedAt: null },
    data: { revokedAt: now },
  });
  return ended[0] ?? null;
}

const seenIntervalMs = 5 * 60_000;

/** Records that the session is in use, every few minutes and without delaying the request. */
export function recordSessionActivity(
  transaction: Db,
  { sessionId, lastSeenAt }: SignedInUser,
  now = new Date(),
): void {
  if (lastSeenAt && now.getTime() - lastSeenAt.getTime() < seenIntervalMs) return;
  transaction.session
    .updateMany({ where: { id: sessionId }, data: { lastSeenAt: now } })
    .catch((error: Error) => {
      log.warn({ error: error.message }, "the last use of a session could not be recorded");
    });
}

/** Ends all of a user's sessions but one. */
export function revokeOtherSessions(
  transaction: Db,
  userId: string,
  keptId: string,
  now = new Date(),
) {
  return transaction.session.updateMany({
    where: { userId, id: { not: keptId }, revokedAt: null },
    data: { revokedAt: now },
  });
}

/**
 * Ends all of a user's sessions: at sign-out, when the password changes, when a member is removed.
 */
export function revokeSessions(transaction: Db, userId: string, now = new Date()) {
  return transaction.session.updateMany({
    where: { userId, revokedAt: null },
    data: { revokedAt: now },
  });
}
