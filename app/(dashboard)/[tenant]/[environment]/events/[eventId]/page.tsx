import { cache } from "react";
import { dashboardPage, objectTitle } from "@/app/(dashboard)/dashboard-page";
import { EventChanges } from "@/components/events/event-changes";
import { EventDeliveries } from "@/components/events/event-deliveries";
import { AutoRefresh } from "@/components/ui/auto-refresh";
import { ButtonLink } from "@/components/ui/button";
import { CopyableId } from "@/components/ui/copyable-id";
import { EmptyState } from "@/components/ui/empty-state";
import { JsonText } from "@/components/ui/json";
import { Link } from "@/components/ui/link";
import { PageHeader } from "@/components/ui/page-header";
import { Facts, Panel } from "@/components/ui/panel";
import { Time } from "@/components/ui/time";
import { describedEvents } from "@/lib/api/event-reference";
import { deliveriesOfEvents } from "@/lib/deliveries/search";
import type { Event } from "@/lib/events/schema";
import { getPayload } from "@/lib/events/service";
import { hasRequestLog } from "@/lib/request-logs/service";

const load = cache(getPayload);

export const generateMetadata = objectTitle<"eventId">(
  "Events",
  async (caller, { eventId }) => JSON.parse(await load(caller, eventId)).type,
);

export default dashboardPage<"eventId">(async ({ caller, base, params, now }) => {
  const payload = await load(caller, params.eventId);
  const { id, type, timestamp, data, request } = JSON.parse(payload) as Event;
  const [deliveries, isLogged] = await Promise.all([
    deliveriesOfEvents(caller, [id]),
    request ? hasRequestLog(caller, request.id) : false,
  ]);
  const isWaiting = deliveries.some(
    ({ nextAttemptAt }) => nextAttemptAt !== null && nextAttemptAt <= now,
  );
  return (
    <>
      <PageHeader
        trail={[{ name: "Events", href: `${base}/events` }]}
        title={type}
        aside={<CopyableId id={id} />}
        description={describedEvents[type].description}
      />
      <div className="space-y-6">
        <Panel title="What happened">
          <Facts
            facts={[
              {
                name: "Type",
                value: (
                  <Link href={`/docs/events/${type}`} className="text-accent hover:underline">
                    About {type}
                  </Link>
                ),
              },
              { name: "When", value: <Time at={new Date(timestamp)} now={now} /> },
              {
                name: "About",
                value:
                  typeof data.object.id === "string" ? (
                    <span className="flex flex-wrap items-center gap-x-3">
                      <CopyableId id={data.object.id} />
                      <Link
                        href={`${base}/go/${data.object.id}`}
                        className="text-accent hover:underline"
                      >
                        Show it
                      </Link>
                    </span>
                  ) : null,
              },
              {
                name: "Caused by",
                value: <Cause request={request} isLogged={isLogged} base={base} />,
              },
              { name: "Idempotency key", value: request?.idempotencyKey ?? null },
              {
                name: "What changed",
                value: data.previousAttributes ? <EventChanges data={data} /> : null,
              },
            ].filter(({ name, value }) => value !== null || name === "About")}
          />
        </Panel>
        <section aria-labelledby="deliveries" className="space-y-3">
          <h2 id="deliveries" className="font-semibold text-lg tracking-tight">
            Deliveries
          </h2>
          {deliveries.length > 0 ? (
            <EventDeliveries deliveries={deliveries} base={base} now={now} />
          ) : (
            <EmptyState
              title="No webhook subscribed"
              action={
                <ButtonLink variant="secondary" href={`${base}/webhooks`}>
                  Show webhooks
                </ButtonLink>
              }
            >
              A webhook receives the events it subscribes to, from the moment it is created.
            </EmptyState>
          )}
        </section>
        <Panel title="Payload">
          <JsonText text={payload} label="payload" base={base} />
        </Panel>
      </div>
      <AutoRefresh everyMs={isWaiting ? 1_500 : 5_000} />
    </>
  );
});

type CauseProps = { request: Event["request"]; isLogged: boolean; base: string };

function Cause({ request, isLogged, base }: CauseProps) {
  if (!request) return "A background job";
  if (!isLogged) return "A member in the dashboard, or a request whose log has expired";
  return (
    <span className="flex flex-wrap items-center gap-x-3">
      <CopyableId id={request.id} />
      <Link href={`${base}/logs/${request.id}`} className="text-accent hover:underline">
        Show the request
      </Link>
    </span>
  );
}
