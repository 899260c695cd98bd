import { cache } from "react";
import { dashboardPage, objectTitle } from "@/app/(dashboard)/dashboard-page";
import { parsePage, twoWayPage } from "@/app/(dashboard)/two-way-page";
import { deliveryFilters } from "@/components/deliveries/delivery-filters";
import { DeliveryTable } from "@/components/deliveries/delivery-table";
import { AutoRefresh } from "@/components/ui/auto-refresh";
import { CopyableId } from "@/components/ui/copyable-id";
import { EmptyState } from "@/components/ui/empty-state";
import { Filters } from "@/components/ui/filters";
import { PageHeader } from "@/components/ui/page-header";
import {
  CsvLink,
  isFilteredBy,
  orderFilter,
  Pager,
  PageSizes,
  withQuery,
} from "@/components/ui/pager";
import { RawJson } from "@/components/ui/raw-json";
import { viewerTime, zoneName } from "@/components/ui/viewer-time";
import { SecretPanel } from "@/components/webhooks/secret-panel";
import { TestResult } from "@/components/webhooks/test-result";
import { WebhookBanners } from "@/components/webhooks/webhook-banners";
import { AttemptsPanel, DetailsPanel, HealthPanel } from "@/components/webhooks/webhook-panels";
import { EventBadges, WebhookStatusBadge } from "@/components/webhooks/webhook-status";
import { attemptsByHour } from "@/lib/deliveries/attempts-by-hour";
import { latencyOfWebhook } from "@/lib/deliveries/latency";
import { type DeliveryWithAttempts, searchDeliveriesQuery } from "@/lib/deliveries/schema";
import { countUnsent, searchDeliveries } from "@/lib/deliveries/search";
import { getDelivery } from "@/lib/deliveries/service";
import { readFromReplica } from "@/lib/platform/replica";
import { recentReadiness } from "@/lib/readiness/service";
import { disableAfterFailures } from "@/lib/webhooks/health";
import { getWebhook } from "@/lib/webhooks/service";
import { renderDeliveryDrawer } from "./delivery-drawer";
import { webhookControls } from "./webhook-controls";

const load = cache(getWebhook);

export const generateMetadata = objectTitle<"webhookId">(
  "Webhooks",
  async (caller, { webhookId }) => (await load(caller, webhookId)).url,
);

export default dashboardPage<"webhookId">(async (visit) => {
  const { caller, base, params, query, now } = visit;
  const { delivery: openId, test: testId, ...filters } = query;
  const { search, before } = parsePage(searchDeliveriesQuery, filters);
  const id = params.webhookId;
  const path = `${base}/webhooks/${id}`;
  const hrefOf = (deliveryId: string | null) =>
    withQuery(path, query, {
      cursor: textOf(query.cursor),
      before: textOf(query.before),
      delivery: deliveryId,
    });

  const loading = load(caller, id);
  const [
    webhook,
    hours,
    unsent,
    latency,
    { data: deliveries, nextCursor, previousCursor },
    opened,
    test,
  ] = await Promise.all([
    loading,
    attemptsByHour(caller, [id], { now, hours: 24 }),
    countUnsent(caller, id),
    readFromReplica(caller, (reader) => latencyOfWebhook(reader, id)),
    readFromReplica(caller, (reader) =>
      twoWayPage(search, before, (page) => searchDeliveries(reader, id, page)),
    ),
    typeof openId === "string"
      ? loading.then((webhook) =>
          renderDeliveryDrawer(visit, { webhook, deliveryId: openId, search, hrefOf }),
        )
      : null,
    typeof testId === "string" ? getDelivery(caller, id, testId) : null,
  ]);
  const isWaiting = opened?.isWaiting || test?.nextAttemptAt != null;
  const controls = webhookControls(visit, webhook, unsent);
  const isFiltered = isFilteredBy(filters);
  return (
    <>
      <PageHeader
        trail={[{ name: "Webhooks", href: `${base}/webhooks` }]}
        title={webhook.url}
        aside={<WebhookStatusBadge webhook={webhook} />}
        description={
          <div className="space-y-2">
            {webhook.description ? <p>{webhook.description}</p> : null}
            <EventBadges events={webhook.events} />
            <CopyableId id={id} />
          </div>
        }
        actions={controls.header}
      />
      {test ? (
        <TestResult delivery={test} isDelayed={await isDelayed(test, now)} href={hrefOf(test.id)} />
      ) : null}
      <WebhookBanners
        webhook={webhook}
        held={unsent.held}
        heldTask={unsent.heldTask}
        now={now}
        enableAction={controls.enable}
        heldActions={controls.held}
      />
      <div className="mb-8 grid gap-4 lg:grid-cols-[minmax(0,5fr)_minmax(0,5fr)_minmax(0,4fr)]">
        <AttemptsPanel hours={hours.get(id) ?? []} />
        <HealthPanel
          webhook={webhook}
          disableAfterFailures={disableAfterFailures}
          unsent={unsent}
          latency={latency}
          now={now}
        />
        <SecretPanel
          hint={webhook.secretHint}
          publicKeys={webhook.publicKeys}
          publicKeysPath={`/.well-known/webhook-keys/${webhook.id}`}
          previousExpiresAt={
            webhook.previousSecretExpiresAt ? new Date(webhook.previousSecretExpiresAt) : null
          }
          now={now}
          rotateAction={controls.rotate}
          dropAction={controls.dropOldSecret}
        />
      </div>
      <section aria-labelledby="deliveries" className="mb-8">
        <div className="mb-3 flex flex-wrap items-center justify-between gap-3">
          <h2 id="deliveries" className="font-semibold text-lg tracking-tight">
            Deliveries
          </h2>
          <div className="flex flex-wrap items-center gap-2">
            <CsvLink path={path} query={filters} />
            {controls.recover}
          </div>
        </div>
        {isFiltered || deliveries.length > 0 ? (
          <Filters filters={[...deliveryFilters(viewerTime().zone, zoneName(now)), orderFilter]} />
        ) : null}
        {deliveries.length > 0 ? (
          <DeliveryTable deliveries={deliveries} order={search.order} hrefOf={hrefOf} now={now} />
        ) : (
          <EmptyState
            title={isFiltered ? "No deliveries match these filters" : "No deliveries yet"}
          >
            {isFiltered
              ? "Deliveries are stored for 30 days after their event."
              : "The next event that this webhook subscribes to appears here. Send a test event to see one now."}
          </EmptyState>
        )}
        <Pager
          path={path}
          query={filters}
          nextCursor={nextCursor}
          previousCursor={previousCursor}
          count={deliveries.length}
        >
          {deliveries.length > 0 ? <PageSizes path={path} query={filters} /> : null}
        </Pager>
      </section>
      <div className="space-y-4">
        <DetailsPanel webhook={webhook} now={now} actions={controls.footer} />
        <RawJson value={webhook} label="webhook" base={base} />
      </div>
      {opened?.drawer}
      <AutoRefresh everyMs={isWaiting ? 1_000 : 5_000} />
    </>
  );
});

/**
 * Whether the worker is behind or stopped, so that the result of a test takes longer than a slow
 * receiver would.
 */
async function isDelayed({ attempts, createdAt }: DeliveryWithAttempts, now: Date) {
  const waitedMs = now.getTime() - Date.parse(createdAt);
  if (attempts.length > 0 || waitedMs < delayedAfterMs) return false;
  const { oldestDueDeliverySeconds } = await recentReadiness();
  return (
    waitedMs > attemptTimeoutMs + delayedAfterMs ||
    (oldestDueDeliverySeconds ?? 0) * 1_000 >= delayedAfterMs
  );
}

const delayedAfterMs = 3_000;
const attemptTimeoutMs = 10_000;

const textOf = (value: string | string[] | undefined) => (typeof value === "string" ? value : null);
