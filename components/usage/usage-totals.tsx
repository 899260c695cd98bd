import { decimalSize } from "@/lib/platform/byte-size";
import type { UsageFigures } from "@/lib/usage/schema";

const figures: { name: keyof UsageFigures; label: string; format?: (value: number) => string }[] = [
  { name: "apiRequests", label: "API requests" },
  { name: "conversationsCreated", label: "Conversations" },
  { name: "messagesReceived", label: "Messages received" },
  { name: "messagesSent", label: "Messages sent" },
  { name: "webhookDeliveries", label: "Webhook attempts" },
  { name: "webhookFailures", label: "Failed webhook attempts" },
  { name: "documentsStored", label: "Documents stored" },
  { name: "filesStored", label: "Files stored" },
  { name: "storageBytes", label: "Storage", format: decimalSize },
];

const inNumbers = (value: number) => value.toLocaleString("en");

/** The totals of a period, as in the API's response. */
export function UsageTotals({
  totals,
  forecast = {},
  variant = "tiles",
}: {
  totals: UsageFigures;
  /** The expected totals at the end of the month. */
  forecast?: Partial<Record<keyof UsageFigures, number | null>>;
  variant?: "tiles" | "small";
}) {
  return (
    <dl
      className={`grid grid-cols-2 gap-px overflow-hidden rounded-2xl border border-line bg-line ${variant === "tiles" ? "md:grid-cols-3" : "sm:grid-cols-3"}`}
    >
      {figures.map(({ name, label, format = inNumbers }) => (
        <div
          key={name}
          className={`bg-surface max-sm:last:col-span-2 ${variant === "tiles" ? "max-md:last:col-span-2" : ""} ${variant === "tiles" ? "p-4" : "px-4 py-2.5"}`}
        >
          <dt className="text-muted text-xs">{label}</dt>
          <dd
            className={
              variant === "tiles"
                ? "font-semibold text-xl tabular-nums tracking-tight"
                : "tabular-nums"
            }
          >
            {format(totals[name])}
            {typeof forecast[name] === "number" ? (
              <span className="block font-normal text-muted text-xs tracking-normal">
                about {format(forecast[name])} by the end of the month
              </span>
            ) : null}
          </dd>
        </div>
      ))}
    </dl>
  );
}
