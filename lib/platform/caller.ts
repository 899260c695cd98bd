import type { Environment, Role } from "@/prisma/generated/enums";
import { databaseWaits } from "./database-waits";
import { type Db, db, hasReplica, poolSize } from "./db";
import type { AfterRollback } from "./errors";
import { createLimitPerKey } from "./limit";
import { OrganizationIsBusy } from "./organization-is-busy";
import { isDeadlock, isForeignKeyViolation, isUniqueViolation } from "./sql-errors";
import { wakeStreams } from "./wake-streams";
import { wakeDeliveries, wakeDocuments } from "./wake-ups";
import { noteWrite } from "./write-positions";

/** The first two columns of every row that belongs to a tenant. */
export type Partition = { tenantId: string; environment: Environment };

/**
 * A user's role is read from the database for each request; services check it with `requireRole`.
 * `provedAt` is when they last proved their identity; `requireStepUp` checks it. `sessionId` is
 * missing where the user does not act through a session of the dashboard.
 */
export type Actor =
  | { type: "API_KEY"; id: string; scopes?: ReadonlySet<string> }
  | { type: "SYSTEM" | "OPERATOR"; id: string }
  | { type: "USER"; id: string; role: Role; provedAt?: Date | null; sessionId?: string };

/** Identifies a delivery across all tenants. */
export type DeliveryReference = Partition & { id: string };

/** Identifies a webhook across all tenants. */
export type WebhookReference = Partition & { webhookId: string };

/** Identifies a document across all tenants. */
export type DocumentReference = Partition & { id: string };

/**
 * Who acts, in which partition, and for which request. Contains no `Request`, because services are
 * independent of HTTP.
 */
export type Identity = {
  partition: Partition;
  actor: Actor;
  /** The request that events mention as their cause; null for jobs. */
  request: { id: string; idempotencyKey: string | null } | null;
  /** The client's address, for the audit log. */
  address: string | null;
  /**
   * Present if the request may change only one version of a resource. Services call it with what a
   * read would return, or null if there is nothing, while the row is locked and before they write.
   * @throws AppError `precondition-failed` for any other version
   */
  requireMatch?: (current: object | null) => void;
};

/** The first parameter of every service function. `db` is the transaction, in a mutation. */
export type Caller = Identity & {
  db: Db;
  /** Deliveries that this transaction wrote. The worker is woken for them after the commit. */
  outbox: DeliveryReference[];
  /** Documents that this transaction queued for processing. The worker is woken for them, too. */
  documents: DocumentReference[];
};

/** For reads, without a transaction. */
export function reader(identity: Identity): Caller {
  return { ...identity, db: db(), outbox: [], documents: [] };
}

/**
 * For a transaction that starts before its tenant is known, or concerns several. It must not write
 * events.
 */
export function withDatabase(identity: Identity, transaction: Db): Caller {
  return { ...identity, db: transaction, outbox: [], documents: [] };
}

/** The identity that jobs act under. */
export function system(partition: Partition): Identity {
  return { partition, actor: { type: "SYSTEM", id: "system" }, request: null, address: null };
}

/** Wakes the streams and the worker for events and deliveries that a one-statement change wrote. */
export function wake({ partition }: Identity, deliveryIds: string[]): void {
  wakeStreams(partition);
  if (deliveryIds.length > 0) wakeDeliveries(deliveryIds.map((id) => ({ ...partition, id })));
}

/** Another transaction committed first and changed what this one had read. */
export const isOvertaken = (error: unknown): boolean =>
  isDeadlock(error) || isUniqueViolation(error) || isForeignKeyViolation(error);

/**
 * The transactions of one organization use at most half of this process's connections, so that those
 * that wait for its locks do not hold up the others. Of two connections, they may use both.
 */
export const maximumTransactions = (): number =>
  Math.max(Math.ceil(poolSize() / 2), Math.min(poolSize(), 2));

// Kept on globalThis for the reason that the pool is (db.ts).
const shared = globalThis as { parlanceTransactions?: ReturnType<typeof createLimitPerKey> };

/**
 * Runs a mutation as one transaction: everything that `work` writes commits together or not at all,
 * and streams and the worker are woken afterwards. If another transaction has overtaken it, for
 * example by deleting what it refers to, it is run again, at most twice, so `work` must not have
 * effects outside the database.
 * @throws OrganizationIsBusy
 */
export async function mutate<Result>(
  identity: Identity,
  work: (caller: Caller) => Promise<Result>,
): Promise<Result> {
  shared.parlanceTransactions ??= createLimitPerKey(maximumTransactions);
  const result = await shared.parlanceTransactions.run(
    identity.partition.tenantId,
    () => commit(identity, work),
    { ms: databaseWaits.freeConnection, error: () => new OrganizationIsBusy() },
  );
  if (hasReplica()) await noteWrite(identity);
  return result;
}

async function commit<Result>(
  identity: Identity,
  work: (caller: Caller) => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    const outbox: DeliveryReference[] = [];
    const documents: DocumentReference[] = [];
    try {
      const result = await db().$transaction((transaction) =>
        work({ ...identity, db: transaction, outbox, documents }),
      );
      // Nearly every mutation raises an event.
      wakeStreams(identity.partition);
      wakeDeliveries(outbox);
      wakeDocuments(documents);
      return result;
    } catch (error) {
      if (attempt < 3 && isOvertaken(error)) continue;
      const { afterRollback } = (error ?? {}) as { afterRollback?: AfterRollback };
      if (afterRollback)
        await db().$transaction((transaction) =>
          afterRollback(withDatabase(identity, transaction)),
        );
      throw error;
    }
  }
}
