import { STATUS_CODES } from "node:http";
import { Badge, type BadgeVariant } from "@/components/ui/badge";

const variants: Record<number, BadgeVariant> = { 2: "good", 4: "warn", 5: "danger" };

/**
 * An answer's status: green where it was as wanted, amber where the request was refused, red where
 * the fault was ours.
 */
export function StatusBadge({ status }: { status: number }) {
  return (
    <Badge variant={variants[Math.floor(status / 100)]}>
      {`${status} ${STATUS_CODES[status] ?? ""}`.trim()}
    </Badge>
  );
}
