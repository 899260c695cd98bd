import type { ReactNode } from "react";
import { BarChart } from "@/components/ui/chart";
import { MetadataList } from "@/components/ui/metadata-list";
import { Facts, Panel } from "@/components/ui/panel";
import { Time } from "@/components/ui/time";
import type { AttemptHour } from "@/lib/deliveries/attempts-by-hour";
import type { Webhook } from "@/lib/webhooks/schema";
import { formatCappedCount } from "./format-count";
import { SuccessPercent } from "./success-rate";
import { FailureCount } from "./webhook-status";

export function AttemptsPanel({ hours }: { hours: AttemptHour[] }) {
  return (
    <Panel title="Last 24 hours" aside={<SuccessPercent hours={hours} />}>
      <BarChart
        caption="Attempts per hour"
        series={[
          { name: "succeeded", variant: "good" },
          { name: "failed", variant: "danger" },
        ]}
        bars={hours.map(({ hour, attempts, failures }) => ({
          label: `${hour.toISOString().slice(11, 16)} UTC`,
          values: [attempts - failures, failures],
        }))}
      />
    </Panel>
  );
}

type HealthPanelProps = {
  webhook: Webhook;
  disableAfterFailures: number;
  unsent: { pending: number; held: number };
  now: Date;
};

export function HealthPanel({ webhook, disableAfterFailures, unsent, now }: HealthPanelProps) {
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
