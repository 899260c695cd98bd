import type { Db } from "@/lib/platform/db";
import { hasRole } from "@/lib/platform/roles";
import type { Role } from "@/prisma/generated/enums";

/** Sequences of the audit log, from which on what an actor did is attributed to the account. */
type Suspects = Map<string, number>;

export type Trace = {
  /** Keys, webhooks and invitations that suspects created or changed, and members they let in. */
  touched: string[];
  /** Whether the account, or someone or something that it gave access, wrote this entry. */
  isByAccount: (entry: { actorId: string; sequence: number }) => boolean;
};

type Entry = {
  sequence: number;
  actorId: string;
  action: string;
  targetId: string;
  changes: unknown;
};

const select = { sequence: true, actorId: true, action: true, targetId: true, changes: true };

/** More entries than a statement takes as parameters are read in parts. */
const actorsPerStatement = 500;

export const madeSince = (since: Date | undefined) => since && { createdAt: { gte: since } };

/**
 * Follows access in the audit log: from the account to the keys it created, the members it invited
 * or promoted, and on to what these did from that moment on. Ends, because an actor is followed
 * again only from an earlier entry.
 */
export async function traceAccess(
  transaction: Db,
  tenantId: string,
  userId: string,
  since?: Date,
): Promise<Trace> {
  const suspects: Suspects = new Map([[userId, 0]]);
  const touched = new Set<string>();
  let next = [userId];
  while (next.length > 0) {
    const actorIds = next.splice(0, actorsPerStatement);
    const written = await transaction.auditEntry.findMany({
      where: {
        tenantId,
        ...madeSince(since),
        AND: [
          {
            OR: actorIds.map((actorId) => ({
              actorId,
              sequence: { gt: suspects.get(actorId) ?? 0 },
            })),
          },
          {
            OR: [
              { action: { startsWith: "api_key." } },
              { action: { startsWith: "webhook." } },
              { action: { startsWith: "invitation." } },
              { action: "member.role_changed" },
            ],
          },
        ],
      },
      select,
    });
    // Lowering a role gives no access. It must not make those suspects whom a thief demoted.
    const giving = written.filter(
      (entry) => entry.action !== "member.role_changed" || isPromotion(entry),
    );
    for (const { targetId } of giving) touched.add(targetId);
    const letIn = giving
      .filter(({ action }) => action === "api_key.created" || action === "member.role_changed")
      .map(({ targetId, sequence }) => ({ id: targetId, sequence }));
    for (const { actorId, sequence } of await acceptancesOf(transaction, tenantId, giving)) {
      touched.add(actorId);
      letIn.push({ id: actorId, sequence });
    }
    const earlier = letIn.filter(({ id, sequence }) => {
      if ((suspects.get(id) ?? Number.POSITIVE_INFINITY) <= sequence) return false;
      suspects.set(id, sequence);
      return true;
    });
    next = [...new Set([...next, ...earlier.map(({ id }) => id)])];
  }
  return {
    touched: [...touched],
    isByAccount: ({ actorId, sequence }) =>
      sequence > (suspects.get(actorId) ?? Number.POSITIVE_INFINITY),
  };
}

/** A member who accepts an invitation keeps their role, so it lets no one in. */
async function acceptancesOf(transaction: Db, tenantId: string, entries: Entry[]) {
  const sent = entries.filter(({ action }) => action.startsWith("invitation."));
  const accepted = await transaction.auditEntry.findMany({
    where: {
      tenantId,
      action: "invitation.accepted",
      targetId: { in: sent.map(({ targetId }) => targetId) },
    },
    select,
  });
  return accepted.filter(({ changes }) => roleIn(changes, "after") !== null);
}

function isPromotion({ changes }: Entry): boolean {
  const [before, after] = [roleIn(changes, "before"), roleIn(changes, "after")];
  return before !== null && after !== null && before !== after && hasRole(after, before);
}

/** The role before or after the change that an entry is about. */
export function roleIn(changes: unknown, when: "before" | "after"): Role | null {
  const { [when]: values } = changes as { [When in typeof when]?: { role?: Role } };
  return values?.role ?? null;
}
