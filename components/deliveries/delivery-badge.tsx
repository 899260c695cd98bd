import { Badge } from "@/components/ui/badge";
import { deliveryBadge } from "./labels";

/** The status of a delivery. */
export function DeliveryBadge(delivery: Parameters<typeof deliveryBadge>[0]) {
  const { label, variant } = deliveryBadge(delivery);
  return <Badge variant={variant}>{label}</Badge>;
}
