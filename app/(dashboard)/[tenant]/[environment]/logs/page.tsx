import { redirect } from "next/navigation";
import { dashboardPage } from "@/app/(dashboard)/dashboard-page";
import { parse } from "@/app/(dashboard)/run-action";
import { twoWayPage } from "@/app/(dashboard)/two-way-page";
import { ErrorGroups } from "@/components/request-logs/error-groups";
import { type Outcome, RequestChart } from "@/components/request-logs/request-chart";
import { RequestTable } from "@/components/request-logs/request-table";
import { AutoRefresh } from "@/components/ui/auto-refresh";
import { EmptyState } from "@/components/ui/empty-state";
import { Filters } from "@/components/ui/filters";
import { PageHeader } from "@/components/ui/page-header";
import { CsvLink, isFilteredBy, Pager, PageSizes, withQuery } from "@/components/ui/pager";
import { TabLinks } from "@/components/ui/tabs";
import { exactTime } from "@/components/ui/viewer-time";
import { listApiKeysQuery } from "@/lib/api-keys/schema";
import { apiKeyNames, listApiKeys } from "@/lib/api-keys/service";
import type { Caller } from "@/lib/platform/caller";
import { env } from "@/lib/platform/env";
import { readFromReplica } from "@/lib/platform/replica";
import {
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
import { LiveTail, TimeLinks } from "./log-controls";
import { filtersFor, textOf } from "./log-filters";
import type { Range } from "./log-time-range";
import { renderRequestDrawer } from "./request-drawer";
import { chosenTime, isTimeGiven, rangeOf, searchOf } from "./search-of";

export const metadata = { title: "Logs" };

const outcomes: Record<(typeof statusClasses)[number], Outcome> = {
  "2xx": "succeeded",
  "4xx": "rejected",
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
  const names = new Map(keys.map(({ id, name }) => [id, name]));
  const others = new Set(requests.map(({ apiKeyId }) => apiKeyId).filter((id) => !names.has(id)));
  for (const [id, { name }] of await apiKeyNames(caller, [...others])) names.set(id, name);
  const rows = requests.map((row) => ({ ...row, keyName: names.get(row.apiKeyId) ?? "" }));

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
  const hasAny = counts.some(
    ({ succeeded, rejected, failed }) => succeeded + rejected + failed > 0,
  );
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
