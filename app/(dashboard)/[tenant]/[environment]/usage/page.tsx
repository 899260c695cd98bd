import { ChevronDown, ChevronLeft, ChevronRight, Download } from "lucide-react";
import { dashboardPage } from "@/app/(dashboard)/dashboard-page";
import { parse } from "@/app/(dashboard)/run-action";
import { ButtonLink, buttonClass } from "@/components/ui/button";
import { EmptyState } from "@/components/ui/empty-state";
import { Menu, MenuLink } from "@/components/ui/menu";
import { PageHeader } from "@/components/ui/page-header";
import { BilledBadge } from "@/components/usage/billed-badge";
import { KeyUsageTable } from "@/components/usage/key-usage-table";
import { StorageQuota } from "@/components/usage/storage-quota";
import { UsageCharts } from "@/components/usage/usage-charts";
import { UsageTotals } from "@/components/usage/usage-totals";
import { apiKeyNames } from "@/lib/api-keys/service";
import { type Caller, reader } from "@/lib/platform/caller";
import { env } from "@/lib/platform/env";
import { storedBytes } from "@/lib/storage/stored-bytes";
import { planNames, planOf, planStorageBytes } from "@/lib/tenants/service";
import { forecastFigures, forecastOf } from "@/lib/usage/forecast";
import { getUsage, listUsageByKey } from "@/lib/usage/service";
import { daysOfMonth, latestMonths, monthOf, usageMonthQuery } from "@/lib/usage/usage-month";

export const metadata = { title: "Usage" };

const monthsToChooseFrom = 24;

export default dashboardPage(
  async ({ caller, identity, environment, tenant, base, query, now }) => {
    const { month = monthOf(now) } = parse(usageMonthQuery, query, "query");
    const period = daysOfMonth(month);
    const other = environment === "live" ? "test" : "live";
    const otherCaller = reader({
      ...identity,
      partition: { ...identity.partition, environment: other },
    });
    const [{ totals, series }, elsewhere, used, plan] = await Promise.all([
      getUsage(caller, period),
      getUsage(otherCaller, period),
      storedBytes(caller),
      planOf(caller),
    ]);
    const forecast = Object.fromEntries(
      forecastFigures.map((name) => [name, forecastOf(totals[name], month, now)]),
    );
    const download = `/api/dashboard/${tenant.slug}/${environment}/usage?month=${month}`;
    return (
      <>
        <PageHeader
          title="Usage"
          aside={<BilledBadge isBilled={environment === "live"} />}
          description={`Usage of ${tenant.name} in ${environment}, by UTC day. Also available from GET /usage.`}
          guide="usage"
          actions={
            <Menu
              className={buttonClass({ variant: "secondary" })}
              trigger={
                <>
                  <Download className="size-4" aria-hidden="true" />
                  Download CSV
                </>
              }
            >
              <MenuLink href={`${download}&by=day`} prefetch={false} download>
                Usage by day
              </MenuLink>
              <MenuLink href={`${download}&by=key`} prefetch={false} download>
                Usage by key
              </MenuLink>
            </Menu>
          }
        />
        <p className="mb-4 hidden print:block">{nameOfMonth.format(new Date(`${month}-01`))}</p>
        <MonthPicker path={`${base}/usage`} month={month} now={now} />
        <StorageQuota used={used} limit={planStorageBytes[plan]} plan={planNames[plan]} />
        <div className="space-y-4">
          <UsageTotals totals={totals} forecast={forecast} />
          {forecast.apiRequests === null ? null : (
            <p className="text-muted">
              A forecast is the total so far, divided by the part of the month that has passed.
            </p>
          )}
          <UsageCharts days={series} />
        </div>
        <section aria-labelledby="by-key" className="mt-8">
          <h2 id="by-key" className="mb-3 font-semibold text-base">
            By key
          </h2>
          <KeysUsed caller={caller} period={period} base={base} />
        </section>
        <section aria-labelledby="other" className="mt-8">
          <div className="mb-3 flex items-center gap-3">
            <h2 id="other" className="font-semibold text-base">
              Usage in {other}
            </h2>
            <BilledBadge isBilled={other === "live"} />
          </div>
          <UsageTotals totals={elsewhere.totals} variant="small" />
        </section>
      </>
    );
  },
);

type KeysUsedProps = { caller: Caller; period: { from: string; to: string }; base: string };

async function KeysUsed({ caller, period, base }: KeysUsedProps) {
  const used = await listUsageByKey(caller, period);
  if (used.length === 0) {
    const { environment } = caller.partition;
    return (
      <EmptyState
        title="No requests this month"
        curl={`curl ${env().APP_URL}/v1/public/usage -H "Authorization: Bearer ${env().SERVICE_PREFIX}_${environment}_…"`}
        curlLabel="Get the same figures from the API:"
      >
        Keys that make requests in {environment} appear here. Send a request to see the first one.
      </EmptyState>
    );
  }
  const names = await apiKeyNames(
    caller,
    used.map(({ apiKeyId }) => apiKeyId),
  );
  const keys = used.map(({ apiKeyId, apiRequests }) => ({
    id: apiKeyId,
    apiRequests,
    ...(names.get(apiKeyId) ?? { name: "Deleted key", hint: apiKeyId }),
  }));
  return <KeyUsageTable keys={keys} base={base} />;
}

const nameOfMonth = new Intl.DateTimeFormat("en-US", {
  month: "long",
  year: "numeric",
  timeZone: "UTC",
});

function MonthPicker({ path, month, now }: { path: string; month: string; now: Date }) {
  const months = latestMonths(now, monthsToChooseFrom);
  const at = months.indexOf(month);
  const [later, earlier] = [months[at - 1], months[at + 1]];
  const hrefOf = (chosen: string) => (chosen === months[0] ? path : `${path}?month=${chosen}`);
  const name = (chosen: string) => nameOfMonth.format(new Date(`${chosen}-01`));
  return (
    <nav aria-label="Month" className="mb-5 flex items-center gap-1">
      {earlier ? (
        <ButtonLink
          variant="secondary"
          size="small"
          href={hrefOf(earlier)}
          aria-label={`Earlier: ${name(earlier)}`}
        >
          <ChevronLeft className="size-4" aria-hidden="true" />
        </ButtonLink>
      ) : null}
      <Menu
        className={buttonClass({ variant: "secondary", size: "small", className: "min-w-40" })}
        trigger={
          <>
            {name(month)}
            <ChevronDown className="size-4" aria-hidden="true" />
          </>
        }
      >
        <div className="max-h-72 overflow-y-auto">
          {months.map((chosen) => (
            <MenuLink
              key={chosen}
              href={hrefOf(chosen)}
              aria-current={chosen === month ? "true" : undefined}
            >
              {name(chosen)}
            </MenuLink>
          ))}
        </div>
      </Menu>
      {later ? (
        <ButtonLink
          variant="secondary"
          size="small"
          href={hrefOf(later)}
          aria-label={`Later: ${name(later)}`}
        >
          <ChevronRight className="size-4" aria-hidden="true" />
        </ButtonLink>
      ) : null}
    </nav>
  );
}
