import { STATUS_CODES } from "node:http";
import { Badge, type BadgeVariant } from "@/components/ui/badge";

const variants: Record<number, BadgeVariant> = { 2: "good", 4: "warn", 5: "danger" };

/** A response's status: green for success, amber for a client error, red for a server error. */
export function StatusBadge({ status }: { status: number }) {
  return (
    <Badge variant={variants[Math.floor(status / 100)]}>
      {`${status} ${STATUS_CODES[status] ?? ""}`.trim()}
    </Badge>
  );
}
