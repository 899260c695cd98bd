import { randomUUID } from "node:crypto";
import type { DeliveryReference } from "@/lib/platform/caller";
import { deliveryPool, pool, rowsOf } from "@/lib/platform/db";
import { meter } from "@/lib/platform/meter";
import { deadlineMs } from "@/lib/platform/outbound-http/outbound-request";
import type { Query } from "@/lib/platform/sql";
import type { AttemptTrigger, Environment, SignatureScheme } from "@/prisma/generated/enums";
import {
  claimBatchStatement,
  claimMoreStatement,
  claimNamedStatement,
  claimOneStatement,
  claimPlainStatement,
  claimRequestedStatement,
} from "./claim.sql";

/** Longer than a request and the recording of its result can take together. */
export const leaseSeconds = 30;

/**
 * An attempt must start within this time of its claim. If a stopped or starved process started it
 * later, its lease could end before the response arrives, and another worker could send it too.
 */
const latestStartMs = leaseSeconds * 1000 - deadlineMs - 5_000;

export const mayStart = ({ claimedAtMs }: ClaimedDelivery): boolean =>
  performance.now() - claimedAtMs <= latestStartMs;

/** Everything needed to send a delivery and to record the result. */
export type ClaimedDelivery = {
  tenantId: string;
  environment: Environment;
  id: string;
  webhookId: string;
  eventId: string;
  eventType: string;
  /** The number of the attempt to make: 1 for the first. */
  attemptNumber: number;
  /** Automatic attempts that have ended. */
  automaticCount: number;
  /** AUTOMATIC, unless a user requested this attempt. */
  trigger: AttemptTrigger;
  /** Whether its webhook was already failing. It then gets no other delivery for now. */
  isProbe: boolean;
  /** Whether its webhook has a limit per second. */
  isPaced: boolean;
  /** The lane, if its webhook has an order. */
  conversationId: string | null;
  /** Whether its lane stops if the last attempt fails. */
  holdsExhausted: boolean;
  acceptsReplies: boolean;
  signatureScheme: SignatureScheme;
  /** The trace of the request that caused the event, if it was traced. */
  traceparent: string | null;
  url: string;
  payload: string;
  /** The secrets that are valid now, newest first, with spaces between them. Empty without any. */
  sealedSecrets: string;
  /** The webhook's custom headers, or null without any. */
  sealedHeaders: string | null;
  leaseHolder: string;
  /** When the claim began, from `performance.now()`. Its lease began later. */
  claimedAtMs: number;
};

/** Where the round-robin scan of the waiting webhooks is. */
export type ClaimCursor = { tenantId: string; environment: Environment; webhookId: string };

export const startOfScan: ClaimCursor = { tenantId: "", environment: "live", webhookId: "" };

const scanSteps = 64;

export type ClaimRequest = {
  /** Defaults to the database's clock. */
  now?: Date | null;
  /** How many deliveries to claim at most. Cannot be more than 500. */
  limit: number;
  cursor: ClaimCursor;
  /**
   * How many more deliveries a webhook may have in flight. Webhooks without an entry get
   * `defaultAllowance`.
   */
  allowances: Map<string, number>;
  defaultAllowance: number;
  /** How many deliveries of each webhook this process has in flight. Defaults to none. */
  inFlight?: Map<string, number>;
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
  is_paced: boolean;
  conversation_id: string | null;
  holds_exhausted: boolean;
  accept_replies: boolean;
  signature_scheme: SignatureScheme;
  traceparent: string | null;
  url: string;
  payload: string;
  sealed_secrets: string | null;
  sealed_headers: string | null;
};

type ContinuedColumns = {
  /** How many deliveries of its webhook the claim took at most. Null if the webhook is not plain. */
  share: number | null;
  due_ms: number;
};

/** In a row of its own, without a delivery. */
type ScanColumns = {
  steps: number;
  position: [[string, Environment, string]] | null;
  parked: number;
  again_ms: number | null;
};

/** A webhook whose whole share a claim took, and when the last of these deliveries was due. */
export type Backlog = {
  tenantId: string;
  environment: Environment;
  webhookId: string;
  taken: number;
  dueMs: number;
};

/** The plain webhooks in these rows that may have more due deliveries. */
function backlogsOf(rows: (ClaimedRow & ContinuedColumns)[]): Backlog[] {
  const backlogs = new Map<string, Backlog & { share: number }>();
  for (const row of rows) {
    if (row.share === null) continue;
    const known = backlogs.get(row.webhook_id);
    if (known) {
      known.taken++;
      known.dueMs = Math.max(known.dueMs, row.due_ms);
      continue;
    }
    backlogs.set(row.webhook_id, {
      tenantId: row.tenant_id,
      environment: row.environment,
      webhookId: row.webhook_id,
      taken: 1,
      share: row.share,
      dueMs: row.due_ms,
    });
  }
  return [...backlogs.values()].filter(({ taken, share }) => taken >= share);
}

/**
 * Leases what is due, in one round trip.
 * @returns the deliveries, and in `backlogs` the plain webhooks that may have more. `cursor` is where
 * the scan continues; `isScanComplete` once it has visited every waiting webhook. `parked`
 * deliveries wait for others, so that there may be more behind them. `againMs`: when a webhook with
 * a limit per second, or one whose row was locked, may take more.
 */
export async function claimDeliveries(request: ClaimRequest) {
  const { now, limit, cursor, allowances, defaultAllowance, inFlight, overdueSeconds } = request;
  const lease = newLease();
  const rows = await runClaim<Partial<ClaimedRow & ContinuedColumns & ScanColumns>>(
    "batch",
    claimBatchStatement({
      now,
      leaseHolder: lease.holder,
      leaseSeconds,
      limit,
      afterTenantId: cursor.tenantId,
      afterEnvironment: cursor.environment,
      afterWebhookId: cursor.webhookId,
      steps: scanSteps,
      webhookIds: [...allowances.keys()],
      allowances: [...allowances.values()],
      inFlight: Array.from(allowances.keys(), (webhookId) => inFlight?.get(webhookId) ?? 0),
      defaultAllowance,
      overdueSeconds,
    }),
  );

  const claimed = rows.filter(({ id }) => id) as (ClaimedRow & ContinuedColumns)[];
  const deliveries = claimed.map((row) => toClaimed(row, lease));
  const backlogs = backlogsOf(claimed);
  const scan = rows.find(({ id }) => !id) ?? {};
  const { steps = 0, position = null, parked = 0, again_ms: againMs = null } = scan;
  const isScanComplete = steps < scanSteps || !position;
  const found = { deliveries, backlogs, parked, againMs, isScanComplete };
  if (isScanComplete) return { ...found, cursor: startOfScan };
  const [tenantId, environment, webhookId] = position[0];
  return { ...found, cursor: { tenantId, environment, webhookId } };
}

/**
 * Leases more deliveries of webhooks with a backlog, each from where its last claim ended.
 * @param shares how many of each webhook at most
 */
export async function claimMore(
  from: Backlog[],
  shares: number[],
  now: Date | null = null,
): Promise<{ deliveries: ClaimedDelivery[]; backlogs: Backlog[] }> {
  const lease = newLease();
  const rows = await runClaim<ClaimedRow & ContinuedColumns>(
    "more",
    claimMoreStatement({
      now,
      leaseHolder: lease.holder,
      leaseSeconds,
      tenantIds: from.map(({ tenantId }) => tenantId),
      environments: from.map(({ environment }) => environment),
      webhookIds: from.map(({ webhookId }) => webhookId),
      dueMs: from.map(({ dueMs }) => dueMs),
      shares,
    }),
  );
  const deliveries = rows.map((row) => toClaimed(row, lease));
  return { deliveries, backlogs: backlogsOf(rows) };
}

type NamedClaim = Pick<ClaimRequest, "now" | "allowances" | "defaultAllowance">;

/**
 * Leases those of these deliveries that are due, belong to plain webhooks and are within their
 * allowances. `others`: how many a claim of everything that is due may take.
 */
export async function claimNamed(
  named: DeliveryReference[],
  { now = null, allowances, defaultAllowance }: NamedClaim,
): Promise<{ deliveries: ClaimedDelivery[]; others: number }> {
  const lease = newLease();
  const open = [...allowances].filter(([, allowance]) => allowance > 0);
  const full = [...allowances].filter(([, allowance]) => allowance === 0);
  const rows = await runClaim<Partial<ClaimedRow> & { others: number }>(
    "named",
    claimNamedStatement({
      now,
      leaseHolder: lease.holder,
      leaseSeconds,
      tenantIds: named.map(({ tenantId }) => tenantId),
      environments: named.map(({ environment }) => environment),
      ids: named.map(({ id }) => id),
      webhookIds: open.map(([webhookId]) => webhookId),
      allowances: open.map(([, allowance]) => allowance),
      defaultAllowance,
      fullWebhookIds: full.map(([webhookId]) => webhookId),
    }),
  );
  const claimed = rows.filter(({ id }) => id) as ClaimedRow[];
  return {
    deliveries: claimed.map((row) => toClaimed(row, lease)),
    others: rows[0]?.others ?? 0,
  };
}

type RequestedClaim = { now?: Date | null; limit: number; overdueSeconds: number };

/**
 * Leases attempts that a user requested, in any status of the delivery and any state of the
 * webhook. `againMs`: when a webhook with a limit per second, or one whose row was locked, may take
 * more.
 */
export async function claimRequested({
  now,
  limit,
  overdueSeconds,
}: RequestedClaim): Promise<{ deliveries: ClaimedDelivery[]; againMs: number | null }> {
  const lease = newLease();
  const rows = await runClaim<Partial<ClaimedRow> & { again_ms: number | null }>(
    "requested",
    claimRequestedStatement({
      now,
      leaseHolder: lease.holder,
      leaseSeconds,
      limit,
      overdueSeconds,
    }),
  );
  const claimed = rows.filter(({ id }) => id) as ClaimedRow[];
  return {
    deliveries: claimed.map((row) => toClaimed(row, lease)),
    againMs: rows.find(({ id }) => !id)?.again_ms ?? null,
  };
}

type ClaimOne = { delivery: ClaimedDelivery | null; againMs: number | null };

/**
 * Leases this one delivery. It is null if it is already in flight. Unless a user requested an
 * attempt, it is also null if it is finished, is not due yet, waits for another of its lane, or its
 * webhook is disabled or paused. `againMs`: when the webhook's limit per second lets it be sent, or
 * when to check again because the webhook's row was locked.
 */
export async function claimOne(
  { tenantId, environment, id }: DeliveryReference,
  now: Date | null = null,
): Promise<ClaimOne> {
  const lease = newLease();
  const values = { now, leaseHolder: lease.holder, leaseSeconds, tenantId, environment, id };
  const [plain] = await runClaim<ClaimedRow>("one", claimPlainStatement(values));
  if (plain) return { delivery: toClaimed(plain, lease), againMs: null };
  const [row] = await runClaim<Partial<ClaimedRow> & { again_ms: number | null }>(
    "one",
    claimOneStatement(values),
  );
  return {
    delivery: row?.id ? toClaimed(row as ClaimedRow, lease) : null,
    againMs: row?.again_ms ?? null,
  };
}

/** The same, without the time to wait. */
export async function claimDelivery(
  reference: DeliveryReference,
  now: Date | null = null,
): Promise<ClaimedDelivery | null> {
  return (await claimOne(reference, now)).delivery;
}

async function runClaim<Row extends { id?: string }>(
  kind: "batch" | "more" | "named" | "requested" | "one",
  query: Query,
): Promise<Row[]> {
  const startedMs = performance.now();
  // A claim of one delivery may wait for its row, which must not hold up the others.
  const rows = await rowsOf<Row>(kind === "one" ? pool() : deliveryPool(), query);
  const counting = meter();
  if (!counting) return rows;
  counting.observe("claimDuration", performance.now() - startedMs, { kind });
  // A batch has a row without a delivery, which says where its scan is.
  const claimed = rows.filter(({ id }) => id).length;
  counting.count("claimedDeliveries", { kind }, claimed);
  return rows;
}

type Lease = { holder: string; claimedAtMs: number };

const newLease = (): Lease => ({ holder: randomUUID(), claimedAtMs: performance.now() });

function toClaimed(row: ClaimedRow, lease: Lease): ClaimedDelivery {
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
    isPaced: row.is_paced,
    conversationId: row.conversation_id,
    holdsExhausted: row.holds_exhausted && row.conversation_id !== null,
    acceptsReplies: row.accept_replies,
    signatureScheme: row.signature_scheme,
    traceparent: row.traceparent,
    url: row.url,
    payload: row.payload,
    sealedSecrets: row.sealed_secrets ?? "",
    sealedHeaders: row.sealed_headers,
    leaseHolder: lease.holder,
    claimedAtMs: lease.claimedAtMs,
  };
}
