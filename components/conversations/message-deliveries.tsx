import { deliveryBadge } from "@/components/deliveries/labels";
import { Link } from "@/components/ui/link";
import type { MessageDelivery } from "@/lib/deliveries/search";

type Props = { deliveries: MessageDelivery[]; base: string };

const colors = {
  good: "text-good",
  warn: "text-warn",
  danger: "text-danger",
  accent: "text-accent",
  plain: "text-muted",
} as const;

/** Shows whether the webhooks that pass a reply on to the customer have received it. */
export function MessageDeliveries({ deliveries, base }: Props) {
  return (
    <ul aria-label="Deliveries" className="mt-0.5 flex flex-wrap justify-end gap-x-3 text-xs">
      {deliveries.map((delivery) => {
        const { label, variant } = deliveryBadge(delivery);
        return (
          <li key={delivery.id} className="max-w-full truncate">
            <Link
              href={`${base}/webhooks/${delivery.webhookId}?delivery=${delivery.id}`}
              prefetch={false}
              className="text-muted hover:underline"
            >
              <span className={colors[variant]}>{label}</span> · {hostOf(delivery.url)}
            </Link>
          </li>
        );
      })}
    </ul>
  );
}

const hostOf = (url: string) => new URL(url).host;
