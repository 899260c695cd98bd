import { csvRoute } from "@/app/(dashboard)/csv-response";
import { parse } from "@/app/(dashboard)/run-action";
import { searchEvents } from "@/lib/deliveries/search-events";
import { type Event, searchEventsQuery } from "@/lib/events/schema";

export const GET = csvRoute<Event>((caller, query) => {
  const search = parse(searchEventsQuery, query, "query");
  return {
    name: "events",
    audit: { action: "events.exported" },
    columns: {
      id: ({ id }) => id,
      type: ({ type }) => type,
      time: ({ timestamp }) => timestamp,
      object_id: ({ data }) => (typeof data.object.id === "string" ? data.object.id : null),
      request_id: ({ request }) => request?.id ?? null,
      idempotency_key: ({ request }) => request?.idempotencyKey ?? null,
      data: ({ data }) => JSON.stringify(data),
    },
    list: (page) => searchEvents(caller, { ...search, ...page }),
  };
});
