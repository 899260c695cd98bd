import { STATUS_CODES } from "node:http";
import { Badge, type BadgeVariant } from "@/components/ui/badge";
import { describeAttemptError } from "./labels";

const variants: Record<string, BadgeVariant> = { 2: "good", 3: "warn", 4: "danger", 5: "danger" };

/** How an attempt ended: the response's status, or why there was none. */
export function ResponseBadge({
  statusCode,
  errorCode,
}: {
  statusCode: number | null;
  errorCode: string | null;
}) {
  if (statusCode !== null) {
    return (
      <Badge variant={variants[Math.floor(statusCode / 100)] ?? "plain"}>
        {`${statusCode} ${STATUS_CODES[statusCode] ?? ""}`.trim()}
      </Badge>
    );
  }
  if (errorCode !== null)
    return <Badge variant="danger">{describeAttemptError(errorCode).label}</Badge>;
  return <span className="text-muted">–</span>;
}
