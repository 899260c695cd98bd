import { dashboardPage } from "@/app/(dashboard)/dashboard-page";
import { parse } from "@/app/(dashboard)/run-action";
import { Checklist } from "@/components/overview/checklist";
import { FailingWebhooks } from "@/components/overview/failing-webhooks";
import { OnboardingKey } from "@/components/overview/onboarding-key";
import { SampleData } from "@/components/overview/sample-data";
import { RequestChart } from "@/components/request-logs/request-chart";
import { RequestTable } from "@/components/request-logs/request-table";
import { environmentNames } from "@/components/shell/environment-name";
import { AutoRefresh } from "@/components/ui/auto-refresh";
import { ButtonLink } from "@/components/ui/button";
import { BarChart } from "@/components/ui/chart";
import { PageHeader } from "@/components/ui/page-header";
import { Panel } from "@/components/ui/panel";
import { TabLinks } from "@/components/ui/tabs";
import { formatTime, zoneName } from "@/components/ui/viewer-time";
import { formatCappedCount } from "@/components/webhooks/format-count";
import { type AttemptHour, attemptsByHour } from "@/lib/deliveries/attempts-by-hour";
import { countUnsent, oldestHeld } from "@/lib/deliveries/search";
import { getOnboardingProgress } from "@/lib/overview/service";
import { hasRole } from "@/lib/platform/roles";
import { listRequestLogsQuery } from "@/lib/request-logs/schema";
import {
  countRequestHours,
  lastHours,
  listRequestLogs,
  type Parts,
} from "@/lib/request-logs/service";
import { sampleDataState } from "@/lib/sample-data/service";
import { disableAfterFailures, webhookHealth } from "@/lib/webhooks/health";
import { listWebhooksQuery } from "@/lib/webhooks/schema";
import { listWebhooks } from "@/lib/webhooks/service";
import { bindKeyActions } from "./api-keys/bind-key-actions";
import { keyChoices } from "./api-keys/key-view-data";
import { onboardingSteps } from "./onboarding-steps";
import { addSampleDataAction, removeSampleDataAction } from "./sample-data-actions";
import { SecondFactorHintOf } from "./second-factor-hint-of";

/** The layout's template does not apply to the page next to it. */
export async function generateMetadata({ params }: { params: Promise<{ environment: string }> }) {
  const { environment } = await params;
  return {
    title: {
      absolute: `Overview · ${environment === "live" ? environmentNames.live : environmentNames.test} · Parlance`,
    },
  };
}

const hourMs = 3_600_000;
/** The time ranges of the charts, and how many hours each bar covers. */
const ranges = {
  "24h": { name: "24 hours", hours: 24, hoursPerBar: 1 },
  "7d": { name: "7 days", hours: 168, hoursPerBar: 3 },
} as const;
type Range = keyof typeof ranges;
const errorsShown = 5;

export default dashboardPage(async ({ caller, role, tenant, environment, base, query, now }) => {
  const range: Range = query.range === "7d" ? "7d" : "24h";
  const { name, hours, hoursPerBar } = ranges[range];
  const time = lastHours(now, hours, hoursPerBar);
  const latest = parse(listRequestLogsQuery, {}, "query");

  const listing = listWebhooks(caller, { ...parse(listWebhooksQuery, {}, "query"), limit: 100 });
  const [progress, sampleData, choices, requests, { data: webhooks }, attempts, failed, refused] =
    await Promise.all([
      getOnboardingProgress(caller),
      hasRole(role, "MEMBER") ? sampleDataState(caller) : "none",
      keyChoices(caller, { tenant, environment }),
      countRequestHours(caller, time),
      listing,
      listing.then(({ data }) =>
        attemptsByHour(
          caller,
          data.map(({ id }) => id),
          // Covers the whole chart, including its unfinished last bar.
          { now: new Date(time.until.getTime() - 1), hours },
        ),
      ),
      listRequestLogs(caller, { ...latest, limit: errorsShown, since: time.since, status: "5xx" }),
      listRequestLogs(caller, { ...latest, limit: errorsShown, since: time.since, status: "4xx" }),
    ]);
  const troubled = webhooks.filter((webhook) => webhookHealth(webhook) !== "well");
  const failing = await Promise.all(
    troubled.map(async ({ id, url, status, consecutiveFailures }) => {
      const isDisabled = status === "DISABLED";
      const [{ pending, held }, oldestAt] = await Promise.all([
        countUnsent(caller, id),
        oldestHeld(caller, id),
      ]);
      const unsent = isDisabled
        ? `${formatCappedCount(held)} held`
        : `${formatCappedCount(pending)} waiting`;
      return { id, url, isDisabled, consecutiveFailures, unsent, oldestHeldAt: oldestAt };
    }),
  );
  const errors = [...failed.data, ...refused.data]
    .toSorted((a, b) => (a.id < b.id ? 1 : -1))
    .slice(0, errorsShown);
  const steps = onboardingSteps(progress, {
    tenantSlug: tenant.slug,
    environment,
    mayManage: hasRole(role, "ADMIN"),
    now,
  });
  const isWaiting = steps.some(({ isDone }) => !isDone);

  return (
    <>
      <PageHeader title="Overview" description={`Activity in ${tenant.name} (${environment})`} />
      <OnboardingKey
        choices={choices}
        actions={bindKeyActions({ tenant: tenant.slug, environment })}
      >
        <Checklist steps={steps} />
      </OnboardingKey>
      {sampleData === "none" ? null : (
        <SampleData
          isPresent={sampleData === "present"}
          change={(sampleData === "present" ? removeSampleDataAction : addSampleDataAction).bind(
            null,
            { tenant: tenant.slug, environment },
          )}
        />
      )}
      <SecondFactorHintOf base={base} />
      {failing.length > 0 ? (
        <div className="mb-6">
          <Panel title="Failing webhooks">
            <FailingWebhooks
              failing={failing}
              base={base}
              disableAfterFailures={disableAfterFailures}
              now={now}
            />
          </Panel>
        </div>
      ) : null}
      <TabLinks
        label="Time range"
        tabs={(Object.keys(ranges) as Range[]).map((value) => ({
          name: ranges[value].name,
          href: value === "24h" ? base : `${base}?range=${value}`,
          isCurrent: value === range,
        }))}
      />
      <div className="mb-6 grid gap-6 lg:grid-cols-2">
        <Panel title={`Requests, last ${name}`} aside={<More href={`${base}/logs`} name="Logs" />}>
          <RequestChart caption="Requests over time, by outcome" counts={requests} />
        </Panel>
        <Panel
          title={`Webhook attempts, last ${name}`}
          aside={<More href={`${base}/webhooks`} name="Webhooks" />}
        >
          <BarChart
            caption="Delivery attempts over time, by outcome"
            zone={zoneName(now)}
            series={[
              { name: "succeeded", variant: "good" },
              { name: "failed", variant: "danger" },
            ]}
            bars={sumOfHours([...attempts.values()], time, hoursPerBar)}
          />
        </Panel>
      </div>
      {errors.length > 0 ? (
        <section aria-labelledby="errors">
          <div className="mb-3 flex items-center justify-between">
            <h2 id="errors" className="font-semibold text-base">
              Recent errors
            </h2>
            <More href={`${base}/logs?status=4xx`} name="View all" />
          </div>
          <RequestTable
            caption="Requests with errors, newest first"
            requests={errors}
            hrefOf={(id) => `${base}/logs/${id}`}
          />
        </section>
      ) : null}
      <AutoRefresh everyMs={isWaiting ? 2_000 : 15_000} />
    </>
  );
});

function More({ href, name }: { href: string; name: string }) {
  return (
    <ButtonLink href={href} variant="quiet" size="small">
      {name}
    </ButtonLink>
  );
}

const hourLabel = {
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
} as const;

/** Totals of all webhooks, with `hoursPerBar` hours in each bar. */
function sumOfHours(all: AttemptHour[][], { since, parts }: Parts, hoursPerBar: number) {
  return Array.from({ length: parts }, (_, index) => {
    const of = all.flatMap((list) => list.slice(index * hoursPerBar, (index + 1) * hoursPerBar));
    const attempts = of.reduce((total, hour) => total + hour.attempts, 0);
    const failures = of.reduce((total, hour) => total + hour.failures, 0);
    return {
      label: formatTime(new Date(since.getTime() + index * hoursPerBar * hourMs), hourLabel),
      values: [attempts - failures, failures],
    };
  });
}
