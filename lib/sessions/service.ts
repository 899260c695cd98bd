import type { Db } from "@/lib/db";
import { newId } from "@/lib/ids";

/** Counted from the sign-in, however busy the session is. */
export const sessionLifetimeSeconds = 12 * 60 * 60;

export type Device = { address: string | null; userAgent: string | null };

export function startSession(transaction: Db, userId: string, { address, userAgent }: Device, now = new Date()) {
  const expiresAt = new Date(now.getTime() + sessionLifetimeSeconds * 1000);
  const id = newId("session", now);
  return transaction.session.create({
    data: { id, userId, createdAt: now, expiresAt, address, userAgent: userAgent?.slice(0, 500) ?? null },
  });
}

/**
 * Who is signed in with this session, and what they may see; null once it was revoked or ran out. Role and tenant come
 * from here each time, so a changed role counts from the next click.
 */
export async function findLiveSession(transaction: Db, id: string, now = new Date()) {
  const session = await transaction.session.findUnique({
    where: { id, revokedAt: null, expiresAt: { gt: now } },
    select: {
      id: true,
      expiresAt: true,
      user: {
        select: {
          id: true,
          name: true,
          email: true,
          memberships: {
            select: { role: true, tenant: { select: { id: true, slug: true, name: true } } },
            orderBy: [{ createdAt: "asc" }, { tenantId: "asc" }],
          },
        },
      },
    },
  });
  return session && { sessionId: session.id, expiresAt: session.expiresAt, ...session.user };
}

export type SignedInUser = NonNullable<Awaited<ReturnType<typeof findLiveSession>>>;

/** Ends all of a user's sessions: at sign-out, when the password changes, when a member is removed. */
export function revokeSessions(transaction: Db, userId: string, now = new Date()) {
  return transaction.session.updateMany({ where: { userId, revokedAt: null }, data: { revokedAt: now } });
}
