import { BarChart, type Series } from "@/components/ui/chart";
import { Panel } from "@/components/ui/panel";
import type { UsageFigures } from "@/lib/usage/schema";

type Day = UsageFigures & { date: string };

const charts: { title: string; series: Series[]; values: (day: Day) => number[] }[] = [
  {
    title: "API requests",
    series: [{ name: "requests", variant: "accent" }],
    values: (day) => [day.apiRequests],
  },
  {
    title: "Conversations",
    series: [{ name: "created", variant: "accent" }],
    values: (day) => [day.conversationsCreated],
  },
  {
    title: "Messages",
    series: [
      { name: "received", variant: "accent" },
      { name: "sent", variant: "good" },
    ],
    values: (day) => [day.messagesReceived, day.messagesSent],
  },
  {
    title: "Webhook attempts",
    series: [
      { name: "succeeded", variant: "good" },
      { name: "failed", variant: "danger" },
    ],
    values: (day) => [day.webhookDeliveries - day.webhookFailures, day.webhookFailures],
  },
];

const day = new Intl.DateTimeFormat("en-US", { day: "numeric", month: "short", timeZone: "UTC" });

/** One chart per figure, by day. */
export function UsageCharts({ days }: { days: Day[] }) {
  return (
    <div className="grid gap-4 md:grid-cols-2">
      {charts.map(({ title, series, values }) => (
        <Panel key={title} title={title}>
          <BarChart
            caption={`${title} per day`}
            series={series}
            zone="UTC"
            bars={days.map((figures) => ({
              label: day.format(new Date(figures.date)),
              values: values(figures),
            }))}
          />
        </Panel>
      ))}
    </div>
  );
}
