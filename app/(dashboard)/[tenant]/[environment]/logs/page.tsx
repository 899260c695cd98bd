import Link from "next/link";
import { redirect } from "next/navigation";
import { dashboardPage, type Query } from "@/app/(dashboard)/dashboard-page";
import { parse } from "@/app/(dashboard)/run-action";
import { twoWayPage } from "@/app/(dashboard)/two-way-page";
import { ErrorGroups } from "@/components/request-logs/error-groups";
import { type Outcome, RequestChart } from "@/components/request-logs/request-chart";
import { RequestTable } from "@/components/request-logs/request-table";
import { AutoRefresh } from "@/components/ui/auto-refresh";
import { buttonClass } from "@/components/ui/button";
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
import { TabLinks } from "@/components/ui/tabs";
import { exactTime } from "@/components/ui/viewer-time";
import { listApiKeysQuery } from "@/lib/api-keys/schema";
import { apiKeyNames, listApiKeys } from "@/lib/api-keys/service";
import type { Caller } from "@/lib/platform/caller";
import { env } from "@/lib/platform/env";
import { readFromReplica } from "@/lib/platform/replica";
import {
  loggedMethods,
  maximumScannedRows,
  searchRequestLogsQuery,
  type statusClasses,
} from "@/lib/request-logs/schema";
import {
  countRequestHours,
  countRequestHoursOfKeys,
  countRequests,
  errorGroups,
  listRequestLogs,
} from "@/lib/request-logs/service";
import { type Range, ranges, type TimeRange } from "./log-time-range";
import { renderRequestDrawer } from "./request-drawer";
import { chosenTime, isTimeGiven, rangeOf, searchOf } from "./search-of";

export const metadata = { title: "Logs" };

const outcomes: Record<(typeof statusClasses)[number], Outcome> = {
  "2xx": "succeeded",
  "4xx": "refused",
  "5xx": "failed",
};

export default dashboardPage(async (visit) => {
  const { caller, environment, base, query, now } = visit;
  const { range, live, request, open, group, before, ...filters } = query;
  const path = `${base}/logs`;
  if (typeof request === "string") redirect(`${path}/${encodeURIComponent(request.trim())}`);
  const search = parse(searchRequestLogsQuery, filters, "query");
  const time = chosenTime(range, search, now);
  const isGrouped = group === "errors";
  const hrefOf = (id: string | null) =>
    withQuery(path, query, { cursor: textOf(query.cursor), before: textOf(before), open: id });

  const selected = searchOf(query, now);
  const [
    { data: requests, nextCursor, previousCursor, lookedBackTo },
    groups,
    counts,
    { data: keys },
    drawer,
  ] = await Promise.all([
    isGrouped
      ? { data: [], nextCursor: undefined, previousCursor: undefined, lookedBackTo: undefined }
      : readFromReplica(caller, (reader) =>
          twoWayPage(selected, textOf(before) ?? undefined, (page) =>
            listRequestLogs(reader, page),
          ),
        ),
    isGrouped ? readFromReplica(caller, (reader) => errorGroups(reader, selected)) : null,
    readFromReplica(caller, count),
    listApiKeys(caller, { ...parse(listApiKeysQuery, {}, "query"), limit: 100 }),
    typeof open === "string" ? renderRequestDrawer(visit, { id: open, selected, hrefOf }) : null,
  ]);
  const names = await apiKeyNames(caller, [...new Set(requests.map(({ apiKeyId }) => apiKeyId))]);
  const rows = requests.map((row) => ({ ...row, keyName: names.get(row.apiKeyId)?.name ?? "" }));

  async function count(reader: Caller) {
    const { apiKeyId } = search;
    if (!time.isByTheHour) return countRequests(reader, time.chart, apiKeyId);
    if (!apiKeyId) return countRequestHours(reader, time.chart);
    return (await countRequestHoursOfKeys(reader, [apiKeyId], time.chart)).get(apiKeyId) ?? [];
  }

  // A page that ends before a request is read in the reverse order.
  const isTowardOlder = (search.order === "desc") === (before === undefined);
  const isFiltered = isFilteredBy(filters);
  const isBeyondChart =
    search.method ||
    search.path ||
    search.operation ||
    search.idempotencyKey ||
    search.errorKind ||
    typeof search.status === "number";
  const hasAny = counts.some(({ succeeded, refused, failed }) => succeeded + refused + failed > 0);
  const only = typeof search.status === "string" ? outcomes[search.status] : undefined;
  return (
    <>
      <PageHeader
        title="Logs"
        description={`Requests with a valid key in ${environment}. Stored for 30 days, with secrets masked.`}
        guide="request-logs"
        actions={
          <>
            <CsvLink
              path={path}
              query={{ ...query, live: undefined, group: undefined, open: undefined }}
            />
            <LiveTail path={path} query={query} isLive={live === "1"} />
          </>
        }
      />
      <TimeLinks
        path={path}
        query={query}
        chosen={isTimeGiven(search) ? null : rangeOf(range)}
        time={time}
      />
      <section
        aria-label="Requests over time"
        className="mb-5 rounded-2xl border border-line bg-surface p-5"
      >
        <RequestChart
          caption={`Requests over time, ${only ?? "by outcome"}`}
          counts={counts}
          only={only}
          hrefOf={({ from, to }) =>
            withQuery(path, query, {
              range: null,
              live: null,
              since: from.toISOString(),
              until: to.toISOString(),
            })
          }
        />
        {isBeyondChart ? (
          <p className="mt-2 text-muted text-xs">
            The chart counts {search.apiKeyId ? "all requests with this key" : "all requests"}.
            Other filters apply to the list only.
          </p>
        ) : null}
      </section>
      <TabLinks
        label="Requests or errors"
        tabs={[
          {
            name: "Requests",
            href: withQuery(path, query, { group: null, open: null }),
            isCurrent: !isGrouped,
          },
          {
            name: "Errors by type",
            href: withQuery(path, query, { group: "errors", open: null }),
            isCurrent: isGrouped,
          },
        ]}
      />
      <Filters filters={filtersFor(keys, filters, isGrouped)} />
      {groups ? (
        groups.length > 0 ? (
          <ErrorGroups groups={groups} path={path} query={query} now={now} />
        ) : (
          <EmptyState title="No errors">
            No request in this time range that matches the filters was rejected or failed.
          </EmptyState>
        )
      ) : rows.length > 0 ? (
        <RequestTable
          caption={`Requests, ${search.order === "asc" ? "oldest" : "newest"} first`}
          requests={rows}
          hrefOf={hrefOf}
        />
      ) : isFiltered || hasAny ? (
        <EmptyState title="No requests match these filters">
          {lookedBackTo
            ? "None of the requests checked so far matches the filters."
            : "No request in this time range matches the filters."}
        </EmptyState>
      ) : (
        <EmptyState
          title={`No requests in ${isTimeGiven(search) ? "this time range" : rangeWords[rangeOf(range)]}`}
          curl={`curl ${env().APP_URL}/v1/public/account -H "Authorization: Bearer ${env().SERVICE_PREFIX}_${environment}_…"`}
          curlLabel="Send the first one:"
        >
          Requests with a valid {environment} key appear here within two seconds.
        </EmptyState>
      )}
      {lookedBackTo ? (
        <p className="mt-3 text-muted">
          Checked {maximumScannedRows.toLocaleString("en")} requests,{" "}
          {isTowardOlder ? "back to" : "up to"} {exactTime(lookedBackTo)}.
        </p>
      ) : null}
      <Pager
        path={path}
        query={query}
        nextCursor={nextCursor}
        next={lookedBackTo && before === undefined ? "Continue the search" : undefined}
        previousCursor={previousCursor}
        count={lookedBackTo ? 0 : rows.length}
      >
        {rows.length > 0 ? <PageSizes path={path} query={query} /> : null}
      </Pager>
      {drawer}
      {live === "1" ? <AutoRefresh everyMs={2_000} /> : null}
    </>
  );
});

const rangeWords: Record<Range, string> = {
  "1h": "the last hour",
  "24h": "the last 24 hours",
  "7d": "the last 7 days",
  "30d": "the last 30 days",
};

const textOf = (value: Query[string]): string | null => (typeof value === "string" ? value : null);

function filtersFor(
  keys: { id: string; name: string; hint: string }[],
  { status, errorKind, operation }: Query,
  isGrouped: boolean,
) {
  const statuses = [
    { value: "2xx", label: "2xx succeeded" },
    { value: "4xx", label: "4xx rejected" },
    { value: "5xx", label: "5xx failed" },
  ];
  // A status from a link.
  if (typeof status === "string" && /^\d+$/.test(status))
    statuses.push({ value: status, label: status });
  return [
    {
      name: "method",
      label: "Method",
      options: loggedMethods.map((value) => ({ value, label: value })),
    },
    { name: "status", label: "Status", options: statuses },
    // From a link of "Errors by type".
    ...(typeof errorKind === "string"
      ? [{ name: "errorKind", label: "Error", options: [{ value: errorKind, label: errorKind }] }]
      : []),
    ...(typeof operation === "string"
      ? [
          {
            name: "operation",
            label: "Operation",
            options: [{ value: operation, label: operation.replace(/^\/v1\/public/, "") }],
          },
        ]
      : []),
    {
      name: "apiKeyId",
      label: "Key",
      options: keys.map(({ id, name, hint }) => ({ value: id, label: `${name} (${hint})` })),
    },
    {
      name: "path",
      label: "Path prefix",
      type: "search" as const,
      placeholder: "/v1/public/conversations",
    },
    { name: "idempotencyKey", label: "Idempotency key", type: "search" as const },
    { name: "request", label: "Request ID", type: "search" as const, placeholder: "req_…" },
    ...(isGrouped ? [] : [orderFilter]),
  ];
}

type Place = { path: string; query: Query };

function TimeLinks({
  path,
  query,
  chosen,
  time,
}: Place & { chosen: Range | null; time: TimeRange }) {
  const className =
    "flex h-8 items-center rounded-md px-3 text-muted hover:text-ink aria-[current]:bg-surface aria-[current]:font-medium aria-[current]:text-ink aria-[current]:shadow-sm";
  return (
    <nav aria-label="Time range" className="mb-4 flex flex-wrap items-center gap-3">
      <ul className="flex rounded-lg border border-line bg-sunken p-0.5">
        {(Object.keys(ranges) as Range[]).map((range) => (
          <li key={range}>
            <Link
              href={withQuery(path, query, {
                range: range === "24h" ? null : range,
                since: null,
                until: null,
              })}
              aria-current={range === chosen ? "true" : undefined}
              className={className}
            >
              {ranges[range]}
            </Link>
          </li>
        ))}
      </ul>
      {chosen ? null : (
        <p className="text-muted tabular-nums">
          {exactTime(time.since)} to {time.until ? exactTime(time.until) : "now"}
        </p>
      )}
    </nav>
  );
}

/** A link, so that the URL says whether the page follows new requests. */
function LiveTail({ path, query, isLive }: Place & { isLive: boolean }) {
  return (
    <Link
      href={withQuery(
        path,
        query,
        isLive ? { live: null } : { live: "1", since: null, until: null },
      )}
      className={buttonClass({ variant: "secondary" })}
    >
      <span
        className={`size-2 rounded-full ${isLive ? "animate-pulse bg-good" : "bg-line-strong"}`}
        aria-hidden="true"
      />
      {isLive ? "Stop live tail" : "Start live tail"}
    </Link>
  );
}
