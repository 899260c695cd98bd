import { Badge } from "@/components/ui/badge";

/**
 * Shown next to usage figures. Parlance counts usage, but does not bill it; test is never billable.
 */
export const BilledBadge = ({ isBilled }: { isBilled: boolean }) =>
  isBilled ? <Badge variant="accent">Billable</Badge> : <Badge>Not billable</Badge>;
