import { parse } from "@/app/(dashboard)/act";
import { pageOf } from "@/app/(dashboard)/page-of";
import { MethodBadge } from "@/components/docs/method-badge";
import { Checklist, type Step } from "@/components/overview/checklist";
import { WebhookTroubles } from "@/components/overview/webhook-troubles";
import { RequestChart } from "@/components/request-logs/request-chart";
import { RequestTable } from "@/components/request-logs/request-table";
import { StatusBadge } from "@/components/request-logs/status-badge";
import { ButtonLink } from "@/components/ui/button";
import { BarChart } from "@/components/ui/chart";
import { CopyBlock } from "@/components/ui/copy";
import { Live } from "@/components/ui/live";
import { PageHeader } from "@/components/ui/page-header";
import { Panel } from "@/components/ui/panel";
import { RoleNote } from "@/components/ui/role-note";
import { Time } from "@/components/ui/time";
import { hasRole, roleSentence } from "@/lib/auth/roles";
import { countUnsent } from "@/lib/deliveries/search";
import { env } from "@/lib/env";
import { getProgress, type Progress } from "@/lib/overview/service";
import { listRequestLogsQuery } from "@/lib/request-logs/schema";
import { countRequestHours, listRequestLogs } from "@/lib/request-logs/service";
import { type AttemptHour, attemptsByHour } from "@/lib/webhooks/attempts-by-hour";
import { disableAfterFailures } from "@/lib/webhooks/retry-schedule";
import { listWebhooksQuery } from "@/lib/webhooks/schema";
import { listWebhooks } from "@/lib/webhooks/service";

export const metadata = { title: "Overview" };

const hourMs = 3_600_000;
const hours = 24;
/** From here on a webhook counts as failing, and is tried less often. */
const troubledAfterFailures = 10;
const errorsShown = 5;

export default pageOf(async ({ caller, role, tenant, environment, base, now }) => {
  const lastHour = Math.floor(now.getTime() / hourMs) * hourMs;
  const until = new Date(lastHour + hourMs);
  const since = new Date(until.getTime() - hours * hourMs);
  const latest = parse(listRequestLogsQuery, {}, "query");

  const [progress, requests, { data: webhooks }, failed, refused] = await Promise.all([
    getProgress(caller),
    countRequestHours(caller, { since, until, parts: hours }),
    listWebhooks(caller, { ...parse(listWebhooksQuery, {}, "query"), limit: 100 }),
    listRequestLogs(caller, { ...latest, limit: errorsShown, since, status: "5xx" }),
    listRequestLogs(caller, { ...latest, limit: errorsShown, since, status: "4xx" }),
  ]);
  const attempts = await attemptsByHour(
    caller,
    webhooks.map(({ id }) => id),
    { now, hours },
  );
  const troubled = webhooks.filter(
    ({ status, consecutiveFailures }) => status === "DISABLED" || consecutiveFailures >= troubledAfterFailures,
  );
  const troubles = await Promise.all(
    troubled.map(async ({ id, url, status, consecutiveFailures }) => {
      const isDisabled = status === "DISABLED";
      const { pending, held } = await countUnsent(caller, id);
      const unsent = isDisabled ? `${held.toLocaleString("en")} held` : `${pending.toLocaleString("en")} waiting`;
      return { id, url, isDisabled, consecutiveFailures, unsent };
    }),
  );
  const errors = [...failed.data, ...refused.data].toSorted((a, b) => (a.id < b.id ? 1 : -1)).slice(0, errorsShown);
  const steps = stepsOf(progress, { tenantSlug: tenant.slug, mayManage: hasRole(role, "ADMIN"), now });
  const isWaiting = steps.some(({ isDone }) => !isDone);

  return (
    <>
      <PageHeader title="Overview" description={`What goes on in ${tenant.name}, ${environment}.`} />
      {isWaiting ? <Checklist steps={steps} /> : null}
      {troubles.length > 0 ? (
        <div className="mb-6">
          <Panel title="Webhooks in trouble">
            <WebhookTroubles troubles={troubles} base={base} disableAfterFailures={disableAfterFailures} />
          </Panel>
        </div>
      ) : null}
      <div className="mb-6 grid gap-6 lg:grid-cols-2">
        <Panel title="Requests, last 24 hours" beside={<More href={`${base}/logs`} name="Logs" />}>
          <RequestChart caption="Requests of each hour, by how they ended" counts={requests} />
        </Panel>
        <Panel title="Webhook attempts, last 24 hours" beside={<More href={`${base}/webhooks`} name="Webhooks" />}>
          <BarChart
            caption="Attempts to deliver of each hour, by how they ended"
            series={[
              { name: "delivered", look: "good" },
              { name: "failed", look: "danger" },
            ]}
            bars={sumOfHours([...attempts.values()], since)}
          />
        </Panel>
      </div>
      {errors.length > 0 ? (
        <section aria-labelledby="errors">
          <div className="mb-3 flex items-center justify-between">
            <h2 id="errors" className="font-semibold text-base">
              Requests that went wrong lately
            </h2>
            <More href={`${base}/logs?status=4xx`} name="All of them" />
          </div>
          <RequestTable caption="Refused and failed requests, newest first" requests={errors} base={base} />
        </section>
      ) : null}
      <Live everyMs={isWaiting ? 2_000 : 15_000} />
    </>
  );
});

function More({ href, name }: { href: string; name: string }) {
  return (
    <ButtonLink href={href} look="quiet" size="small">
      {name}
    </ButtonLink>
  );
}

const hourLabel = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", timeZone: "UTC" });

/** One bar an hour for all webhooks together. */
function sumOfHours(all: AttemptHour[][], since: Date) {
  return Array.from({ length: hours }, (_, index) => {
    const attempts = all.reduce((total, list) => total + (list[index]?.attempts ?? 0), 0);
    const failures = all.reduce((total, list) => total + (list[index]?.failures ?? 0), 0);
    return { label: hourLabel.format(since.getTime() + index * hourMs), values: [attempts - failures, failures] };
  });
}

type Visitor = { tenantSlug: string; mayManage: boolean; now: Date };

function stepsOf(progress: Progress, { tenantSlug, mayManage, now }: Visitor): Step[] {
  const { APP_URL, SERVICE_PREFIX } = env();
  const { latestRequest, webhook } = progress;
  const test = `/${tenantSlug}/test`;
  return [
    {
      title: "Create a test key",
      isDone: progress.hasTestKey,
      children: progress.hasTestKey ? null : mayManage ? (
        <ButtonLink href={`${test}/api-keys`}>Create a test key</ButtonLink>
      ) : (
        <RoleNote sentence={roleSentence("ADMIN", "create API keys")} />
      ),
    },
    {
      title: "Send a first request",
      isDone: progress.wasCalled,
      children: latestRequest ? (
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-muted">
          The latest: <MethodBadge method={latestRequest.method} />
          <code className="break-all font-mono text-xs">{latestRequest.path}</code>
          <StatusBadge status={latestRequest.status} />
          <span className="tabular-nums">{latestRequest.durationMs} ms</span>
          <Time at={latestRequest.createdAt} now={now} />
        </p>
      ) : progress.wasCalled ? null : (
        <>
          <p className="text-muted">Put your key into this command. The request appears here as soon as it was answered.</p>
          <CopyBlock
            label="Copy the curl command"
            text={`curl ${APP_URL}/v1/public/conversations \\
  -H "Authorization: Bearer ${SERVICE_PREFIX}_test_…" \\
  -H "Content-Type: application/json" \\
  -d '{"channelId": "web", "message": "Hello"}'`}
          />
        </>
      ),
    },
    {
      title: "Receive an event",
      isDone: webhook?.hasReceived ?? false,
      children: webhook?.hasReceived ? (
        <p className="break-all text-muted">{webhook.url} has answered.</p>
      ) : !mayManage ? (
        <RoleNote sentence={roleSentence("ADMIN", "create webhooks")} />
      ) : webhook ? (
        <>
          <p className="break-all text-muted">{webhook.url} has not answered yet. Send it a test event, and see what comes back.</p>
          <ButtonLink href={`${test}/webhooks/${webhook.id}`}>Go to the webhook</ButtonLink>
        </>
      ) : (
        <>
          <p className="text-muted">A webhook is an address of yours that is told of every event, signed, and until it answers.</p>
          <ButtonLink href={`${test}/webhooks/new`}>Create a webhook</ButtonLink>
        </>
      ),
    },
    {
      title: "Go live",
      isDone: progress.hasLiveKey && progress.wasCalledLive,
      children:
        progress.hasLiveKey && progress.wasCalledLive ? null : (
          <>
            <p className="text-muted">
              {progress.hasLiveKey
                ? "There is a live key. The first request with it completes this list."
                : "Live has keys and webhooks of its own, and none of your test data. Everything else is the same."}
            </p>
            {mayManage && !progress.hasLiveKey ? <ButtonLink href={`/${tenantSlug}/live/api-keys`}>Create a live key</ButtonLink> : null}
          </>
        ),
    },
  ];
}
