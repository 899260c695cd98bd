import { randomUUID } from "node:crypto";
import type { DeliveryReference } from "@/lib/platform/caller";
import { runStatement } from "@/lib/platform/db";
import type { AttemptTrigger, Environment } from "@/prisma/generated/enums";
import { claimBatchStatement, claimOneStatement, claimRequestedStatement } from "./claim.sql";

/** Longer than the deadline of a request and the recording of its result together. */
export const leaseSeconds = 30;

/** All that is needed to send a delivery and to record what came of it. */
export type ClaimedDelivery = {
  tenantId: string;
  environment: Environment;
  id: string;
  webhookId: string;
  eventId: string;
  eventType: string;
  /** The attempt that is now to be made: 1 for the first. */
  attemptNumber: number;
  /** Automatic attempts that have ended. */
  automaticCount: number;
  /** AUTOMATIC, unless a person asked for this attempt. */
  trigger: AttemptTrigger;
  /** Its webhook was known to fail already, and this is the one delivery that it gets for now. */
  isProbe: boolean;
  url: string;
  payload: string;
  /** Those that are valid now, newest first. */
  sealedSecrets: string[];
  leaseHolder: string;
  /** By this process's own clock, which only measures. */
  claimedAtMs: number;
};

/** Where the walk round the waiting webhooks stands. */
export type ClaimCursor = { tenantId: string; environment: Environment; webhookId: string };

export const startOfWalk: ClaimCursor = { tenantId: "", environment: "live", webhookId: "" };

const walkSteps = 64;

export type ClaimRequest = {
  /** Null for the database's clock. */
  now: Date | null;
  /** At most so many deliveries, 100 at the most. */
  limit: number;
  cursor: ClaimCursor;
  /**
   * How many more deliveries a webhook may have under way; those not named get `defaultAllowance`.
   */
  allowances: Map<string, number>;
  defaultAllowance: number;
  overdueSeconds: number;
};

type ClaimedRow = {
  tenant_id: string;
  environment: Environment;
  id: string;
  webhook_id: string;
  event_id: string;
  event_type: string;
  attempt_count: number;
  automatic_count: number;
  requested_trigger: AttemptTrigger | null;
  is_probe: boolean;
  url: string;
  payload: string;
  sealed_secrets: string[] | null;
};

type WalkColumns = { steps: number; position: [[string, Environment, string]] | null };

/**
 * Leases what is due, in one round trip.
 * @returns the deliveries, and where the walk continues; `isRoundComplete` when it has met every
 * waiting webhook.
 */
export async function claimDeliveries(request: ClaimRequest) {
  const { now, limit, cursor, allowances, defaultAllowance, overdueSeconds } = request;
  const leaseHolder = randomUUID();
  const rows = await runStatement<Partial<ClaimedRow> & WalkColumns>(claimBatchStatement, [
    ...[now, leaseHolder, leaseSeconds, limit],
    ...[cursor.tenantId, cursor.environment, cursor.webhookId, walkSteps],
    ...[[...allowances.keys()], [...allowances.values()], defaultAllowance, overdueSeconds],
  ]);

  const deliveries = rows.flatMap((row) =>
    row.id ? [toClaimed(row as ClaimedRow, leaseHolder)] : [],
  );
  const { steps, position } = rows[0] ?? { steps: 0, position: null };
  const isRoundComplete = steps < walkSteps || !position;
  if (isRoundComplete) return { deliveries, isRoundComplete, cursor: startOfWalk };
  const [tenantId, environment, webhookId] = position[0];
  return { deliveries, isRoundComplete, cursor: { tenantId, environment, webhookId } };
}

type RequestedClaim = { now: Date | null; limit: number; overdueSeconds: number };

/**
 * Leases attempts that a person asked for, whatever their deliveries' status and their webhooks'
 * state.
 */
export async function claimRequested({
  now,
  limit,
  overdueSeconds,
}: RequestedClaim): Promise<ClaimedDelivery[]> {
  const leaseHolder = randomUUID();
  const rows = await runStatement<ClaimedRow>(claimRequestedStatement, [
    now,
    leaseHolder,
    leaseSeconds,
    limit,
    overdueSeconds,
  ]);
  return rows.map((row) => toClaimed(row, leaseHolder));
}

/**
 * Leases this one delivery, or nothing where it is not due, under way, finished, or its webhook not
 * to be sent to.
 */
export async function claimDelivery(
  reference: DeliveryReference,
  now: Date | null,
): Promise<ClaimedDelivery | null> {
  const leaseHolder = randomUUID();
  const { tenantId, environment, id } = reference;
  const [row] = await runStatement<ClaimedRow>(claimOneStatement, [
    now,
    leaseHolder,
    leaseSeconds,
    tenantId,
    environment,
    id,
  ]);
  return row ? toClaimed(row, leaseHolder) : null;
}

function toClaimed(row: ClaimedRow, leaseHolder: string): ClaimedDelivery {
  return {
    tenantId: row.tenant_id,
    environment: row.environment,
    id: row.id,
    webhookId: row.webhook_id,
    eventId: row.event_id,
    eventType: row.event_type,
    attemptNumber: row.attempt_count + 1,
    automaticCount: row.automatic_count,
    trigger: row.requested_trigger ?? "AUTOMATIC",
    isProbe: row.is_probe,
    url: row.url,
    payload: row.payload,
    sealedSecrets: row.sealed_secrets ?? [],
    leaseHolder,
    claimedAtMs: performance.now(),
  };
}
