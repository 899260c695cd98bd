import type { Caller } from "@/lib/platform/caller";
import { readRows } from "@/lib/platform/db";
import { onboardingStatement } from "./service.sql";

/** The latest request with a valid key, for the checklist. */
export type LatestRequest = {
  id: string;
  method: string;
  path: string;
  status: number;
  durationMs: number;
  errorKind: string | null;
  /** As stored in the request log: masked, and possibly truncated. */
  responseBody: string | null;
  createdAt: Date;
};

/**
 * How far an organization has come, derived from its rows: a step is only ticked if it really
 * happened.
 */
export type Progress = {
  hasTestKey: boolean;
  /** Also null if the latest request is older than the log. */
  latestRequest: LatestRequest | null;
  /** A request succeeded at any time in the past. */
  hasSucceeded: boolean;
  webhook: { id: string; url: string; hasReceived: boolean } | null;
  hasLiveKey: boolean;
  hasSucceededLive: boolean;
};

type Row = Omit<Progress, "latestRequest"> &
  (LatestRequest | { [Name in keyof LatestRequest]: null });

/**
 * The first steps are in test and the last one is in live, no matter which environment the page
 * shows. The webhook is the newest one that has received an event, or else the newest.
 */
export async function getOnboardingProgress(caller: Caller): Promise<Progress> {
  const { tenantId } = caller.partition;
  const [row] = await readRows<Row>(onboardingStatement({ tenantId }), caller);
  if (!row) throw new Error("the progress has no row");
  const { hasTestKey, hasSucceeded, webhook, hasLiveKey, hasSucceededLive, ...latest } = row;
  const latestRequest = latest.id === null ? null : latest;
  return { hasTestKey, latestRequest, hasSucceeded, webhook, hasLiveKey, hasSucceededLive };
}
