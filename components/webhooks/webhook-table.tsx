import { Link } from "@/components/ui/link";
import {
  Cell,
  type Heading,
  Row,
  RowName,
  type Sorting,
  sortedCaption,
  Table,
} from "@/components/ui/table";
import { Time } from "@/components/ui/time";
import type { AttemptHour } from "@/lib/deliveries/attempts-by-hour";
import type { Webhook } from "@/lib/webhooks/schema";
import { SuccessRate } from "./success-rate";
import { disabledReasonLabels, FailureCount, WebhookStatusBadge } from "./webhook-status";

const headings: Heading[] = [
  { label: "Webhook", sort: "url" },
  { label: "Events" },
  { label: "Status", sort: "status" },
  { label: "Last 24 hours" },
  { label: "Failures in a row", align: "right", sort: "consecutiveFailures" },
];

type WebhookTableProps = {
  webhooks: (Webhook & { hours: AttemptHour[] })[];
  path: string;
  sorting: Sorting;
  disableAfterFailures: number;
  now: Date;
};

export function WebhookTable({
  webhooks,
  path,
  sorting,
  disableAfterFailures,
  now,
}: WebhookTableProps) {
  return (
    <Table caption={sortedCaption("Webhooks", sorting)} headings={headings} sorting={sorting}>
      {webhooks.map((webhook) => (
        <Row key={webhook.id}>
          <RowName>
            <Link
              href={`${path}/${webhook.id}`}
              className="row-link wrap-anywhere block font-medium lg:min-w-56"
            >
              {webhook.url}
            </Link>
            {webhook.description ? (
              <span className="block break-words text-muted">{webhook.description}</span>
            ) : null}
          </RowName>
          <Cell label="Events">
            <span title={webhook.events.join("\n")}>{eventsLabel(webhook.events)}</span>
          </Cell>
          <Cell label="Status">
            <WebhookStatusBadge webhook={webhook} />
            {webhook.disabledReason && webhook.disabledAt ? (
              <span className="mt-1 block text-muted text-xs">
                {disabledReasonLabels[webhook.disabledReason]},{" "}
                <Time at={new Date(webhook.disabledAt)} now={now} />
              </span>
            ) : null}
          </Cell>
          <Cell label="Last 24 hours">
            <SuccessRate hours={webhook.hours} />
          </Cell>
          <Cell label="Failures in a row" align="right">
            <FailureCount webhook={webhook} of={disableAfterFailures} />
          </Cell>
        </Row>
      ))}
    </Table>
  );
}

function eventsLabel(events: string[]): string {
  if (events.includes("*")) return "All events";
  const [first = "", second, ...more] = events;
  if (!second) return first;
  return more.length === 0 ? `${first}, ${second}` : `${first} and ${events.length - 1} more`;
}
