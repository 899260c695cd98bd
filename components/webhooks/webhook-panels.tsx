import type { ReactNode } from "react";
import { BarChart } from "@/components/ui/chart";
import { JsonText } from "@/components/ui/json";
import { MetadataList } from "@/components/ui/metadata-list";
import { Facts, Panel } from "@/components/ui/panel";
import { Time } from "@/components/ui/time";
import { formatTime, zoneName } from "@/components/ui/viewer-time";
import type { AttemptHour } from "@/lib/deliveries/attempts-by-hour";
import type { Latency } from "@/lib/deliveries/latency";
import type { Webhook } from "@/lib/webhooks/schema";
import { deliveryFacts } from "./delivery-fields";
import { formatCappedCount } from "./format-count";
import { SuccessPercent } from "./success-rate";
import { FailureCount } from "./webhook-status";

export function AttemptsPanel({ hours }: { hours: AttemptHour[] }) {
  return (
    <Panel title="Last 24 hours" aside={<SuccessPercent hours={hours} />}>
      <BarChart
        caption="Attempts per hour"
        zone={zoneName(hours.at(-1)?.hour ?? new Date())}
        series={[
          { name: "succeeded", variant: "good" },
          { name: "failed", variant: "danger" },
        ]}
        bars={hours.map(({ hour, attempts, failures }) => ({
          label: formatTime(hour, { hour: "2-digit", minute: "2-digit" }),
          values: [attempts - failures, failures],
        }))}
      />
    </Panel>
  );
}

const milliseconds = (ms: number) => `${ms.toLocaleString("en")} ms`;

function ResponseTime({ p50, p95, count }: Latency) {
  return (
    <>
      <span className="whitespace-nowrap">p50 {milliseconds(p50)},</span>{" "}
      <span className="whitespace-nowrap">p95 {milliseconds(p95)}</span>
      <span className="block text-muted text-xs">
        {count === 1
          ? "Of the latest success at the first attempt."
          : `Of the latest ${count} successes at the first attempt.`}
      </span>
    </>
  );
}

type HealthPanelProps = {
  webhook: Webhook;
  disableAfterFailures: number;
  unsent: { pending: number; held: number };
  latency: Latency | null;
  now: Date;
};

export function HealthPanel({
  webhook,
  disableAfterFailures,
  unsent,
  latency,
  now,
}: HealthPanelProps) {
  const { lastSuccessAt, lastFailureAt } = webhook;
  return (
    <Panel title="Health">
      <Facts
        facts={[
          {
            name: "Failures in a row",
            value: <FailureCount webhook={webhook} of={disableAfterFailures} />,
          },
          {
            name: "Last success",
            value: lastSuccessAt ? <Time at={new Date(lastSuccessAt)} now={now} /> : "Never",
          },
          {
            name: "Last failure",
            value: lastFailureAt ? <Time at={new Date(lastFailureAt)} now={now} /> : "Never",
          },
          { name: "Response time", value: latency && <ResponseTime {...latency} /> },
          { name: "Waiting", value: formatCappedCount(unsent.pending) },
          { name: "Held", value: formatCappedCount(unsent.held) },
        ]}
      />
      <p className="mt-4 text-muted text-xs">
        Failed test events and manual resends are not counted here.
      </p>
    </Panel>
  );
}

export function DetailsPanel({
  webhook,
  now,
  actions,
}: {
  webhook: Webhook;
  now: Date;
  actions: ReactNode;
}) {
  const { filter, headerNames, metadata, createdAt, updatedAt } = webhook;
  return (
    <Panel title="Details">
      <Facts
        facts={[
          {
            name: "Filter",
            value: filter ? <JsonText text={JSON.stringify(filter)} label="filter" /> : null,
          },
          { name: "Custom headers", value: headerNames.join(", ") || null },
          ...deliveryFacts(webhook),
          { name: "Metadata", value: <MetadataList metadata={metadata} /> },
          { name: "Created", value: <Time at={new Date(createdAt)} now={now} /> },
          { name: "Changed", value: <Time at={new Date(updatedAt)} now={now} /> },
        ]}
      />
      {actions ? (
        <div className="mt-5 flex flex-wrap gap-2 border-line border-t pt-4">{actions}</div>
      ) : null}
    </Panel>
  );
}
