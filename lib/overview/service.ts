import type { Caller } from "@/lib/platform/caller";

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

/**
 * The first steps are in test and the last one is in live, no matter which environment the page
 * shows.
 */
export async function getOnboardingProgress({
  db,
  partition: { tenantId },
}: Caller): Promise<Progress> {
  const test = { tenantId, environment: "test" as const };
  const live = { tenantId, environment: "live" as const };
  const keyOf = (partition: typeof test | typeof live) =>
    db.apiKey.findFirst({
      where: { ...partition, revokedAt: null },
      select: { id: true },
      orderBy: { id: "desc" },
    });
  const provenKeyOf = (partition: typeof test | typeof live) =>
    db.apiKey.findFirst({
      where: { ...partition, firstSucceededAt: { not: null } },
      select: { id: true },
    });

  const [testKey, provenTestKey, latestRequest, webhook, receivedWebhook, liveKey, provenLiveKey] =
    await Promise.all([
      keyOf(test),
      provenKeyOf(test),
      db.requestLog.findFirst({
        where: test,
        orderBy: { id: "desc" },
        select: {
          id: true,
          method: true,
          path: true,
          status: true,
          durationMs: true,
          errorKind: true,
          responseBody: true,
          createdAt: true,
        },
      }),
      db.webhook.findFirst({
        where: { ...test, deletedAt: null },
        orderBy: { id: "desc" },
        select: { id: true, url: true },
      }),
      db.webhook.findFirst({
        where: { ...test, deletedAt: null, lastSuccessAt: { not: null } },
        orderBy: { id: "desc" },
        select: { id: true, url: true },
      }),
      keyOf(live),
      provenKeyOf(live),
    ]);
  const shownWebhook = receivedWebhook ?? webhook;
  return {
    hasTestKey: testKey !== null || provenTestKey !== null,
    latestRequest,
    hasSucceeded: provenTestKey !== null,
    webhook: shownWebhook && { ...shownWebhook, hasReceived: receivedWebhook !== null },
    hasLiveKey: liveKey !== null,
    hasSucceededLive: provenLiveKey !== null,
  };
}
