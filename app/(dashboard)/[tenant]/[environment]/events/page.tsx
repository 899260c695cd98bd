import { dashboardPage } from "@/app/(dashboard)/dashboard-page";
import { parsePage, twoWayPage } from "@/app/(dashboard)/two-way-page";
import { EventTable } from "@/components/events/event-table";
import { AutoRefresh } from "@/components/ui/auto-refresh";
import { EmptyState } from "@/components/ui/empty-state";
import { type Filter, Filters } from "@/components/ui/filters";
import { PageHeader } from "@/components/ui/page-header";
import { CsvLink, isFilteredBy, orderFilter, Pager, PageSizes } from "@/components/ui/pager";
import { exactTime, viewerTime, zoneName } from "@/components/ui/viewer-time";
import { deliveriesOfEvents } from "@/lib/deliveries/search";
import { searchEvents } from "@/lib/deliveries/search-events";
import { eventTypes } from "@/lib/events/event-types";
import { searchEventsQuery } from "@/lib/events/schema";
import { env } from "@/lib/platform/env";

export const metadata = { title: "Events" };

const filtersFor = (now: Date): Filter[] => [
  { name: "type", label: "Type", options: eventTypes.map((value) => ({ value, label: value })) },
  {
    name: "since",
    label: `From (${zoneName(now)})`,
    type: "datetime-local",
    zone: viewerTime().zone,
  },
  { name: "objectId", label: "Object ID", type: "search", placeholder: "cnv_…, cus_…" },
  {
    name: "undelivered",
    label: "Deliveries",
    options: [{ value: "true", label: "Not delivered" }],
  },
  orderFilter,
];

export default dashboardPage(async ({ caller, environment, base, query, now }) => {
  const path = `${base}/events`;
  const { search, before } = parsePage(searchEventsQuery, query);
  const {
    data: events,
    nextCursor,
    previousCursor,
    lookedBackTo,
  } = await twoWayPage(search, before, (page) => searchEvents(caller, page));
  const ids = events.map(({ id }) => id);
  const deliveries = await deliveriesOfEvents(caller, ids);
  const statusesOf = (id: string) =>
    deliveries.filter(({ eventId }) => eventId === id).map(({ status }) => status);
  const isFiltered = isFilteredBy(query);
  return (
    <>
      <PageHeader
        title="Events"
        description="Everything that happened in the last 30 days, whether or not a webhook received it."
        guide="events"
        actions={<CsvLink path={path} query={query} />}
      />
      {isFiltered || events.length > 0 ? <Filters filters={filtersFor(now)} /> : null}
      {events.length > 0 ? (
        <EventTable
          events={events.map((event) => ({ ...event, statuses: statusesOf(event.id) }))}
          order={search.order}
          base={base}
          now={now}
        />
      ) : (
        <EmptyState
          title={isFiltered ? "No events match these filters" : `No ${environment} events yet`}
          {...(!isFiltered && {
            curl: `curl ${env().APP_URL}/v1/public/conversations -H "Authorization: Bearer ${env().SERVICE_PREFIX}_${environment}_…" -H "Content-Type: application/json" -d '{"channelId":"web","message":"Hello"}'`,
          })}
        >
          {lookedBackTo
            ? "None of the events checked so far matches the filters."
            : isFiltered
              ? "Remove a filter, or choose an earlier time."
              : "Every change records an event: a new conversation, a message, a processed document. Webhooks receive them. Create a conversation to see the first one."}
        </EmptyState>
      )}
      {lookedBackTo ? (
        <p className="mt-3 text-muted">
          Searched {(search.order === "asc") === (before === undefined) ? "up to" : "back to"}{" "}
          {exactTime(lookedBackTo)}.
        </p>
      ) : null}
      <Pager
        path={path}
        query={query}
        nextCursor={nextCursor}
        next={lookedBackTo && before === undefined ? "Continue the search" : undefined}
        previousCursor={previousCursor}
        count={lookedBackTo ? 0 : events.length}
      >
        {events.length > 0 ? <PageSizes path={path} query={query} /> : null}
      </Pager>
      <AutoRefresh />
    </>
  );
});
