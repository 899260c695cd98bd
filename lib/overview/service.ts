import type { Caller } from "@/lib/platform/caller";

/** The latest request with a valid key, as the checklist shows it. */
export type LatestRequest = {
  id: string;
  method: string;
  path: string;
  status: number;
  durationMs: number;
  errorKind: string | null;
  /** As the log keeps it: masked, and perhaps cut off. */
  responseBody: string | null;
  createdAt: Date;
};

/** How far an organization has come, from its rows alone: nothing is ticked that did not happen. */
export type Progress = {
  hasTestKey: boolean;
  /** Null also where the latest one is older than the log. */
  latestRequest: LatestRequest | null;
  /** A request was answered with a success, however long ago. */
  hasSucceeded: boolean;
  webhook: { id: string; url: string; hasReceived: boolean } | null;
  hasLiveKey: boolean;
  hasSucceededLive: boolean;
};

/** The first steps are taken in test, the last one in live, whichever of the two is looked at. */
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
