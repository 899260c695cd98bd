import { byteSize } from "@/lib/platform/byte-size";
import type { UsageFigures } from "@/lib/usage/schema";

const figures: { name: keyof UsageFigures; label: string; format?: (value: number) => string }[] = [
  { name: "apiRequests", label: "API requests" },
  { name: "conversationsCreated", label: "Conversations" },
  { name: "messagesReceived", label: "Messages received" },
  { name: "messagesSent", label: "Messages sent" },
  { name: "webhookDeliveries", label: "Webhook deliveries" },
  { name: "webhookFailures", label: "Failed webhook deliveries" },
  { name: "documentsStored", label: "Documents stored" },
  { name: "storageBytes", label: "Storage", format: byteSize },
];

const inNumbers = (value: number) => value.toLocaleString("en");

/** The totals of a period, as in the API's response. */
export function UsageTotals({
  totals,
  variant = "tiles",
}: {
  totals: UsageFigures;
  variant?: "tiles" | "small";
}) {
  return (
    <dl
      className={`grid grid-cols-2 gap-px overflow-hidden rounded-2xl border border-line bg-line ${variant === "tiles" ? "md:grid-cols-4" : "sm:grid-cols-4"}`}
    >
      {figures.map(({ name, label, format = inNumbers }) => (
        <div key={name} className={`bg-surface ${variant === "tiles" ? "p-4" : "px-4 py-2.5"}`}>
          <dt className="text-muted text-xs">{label}</dt>
          <dd
            className={
              variant === "tiles"
                ? "font-semibold text-xl tabular-nums tracking-tight"
                : "tabular-nums"
            }
          >
            {format(totals[name])}
          </dd>
        </div>
      ))}
    </dl>
  );
}
