import { Badge } from "@/components/ui/badge";

/**
 * Test is never billed, and says so wherever its figures stand. Parlance counts, and writes no
 * bills.
 */
export const BilledBadge = ({ isBilled }: { isBilled: boolean }) =>
  isBilled ? <Badge variant="accent">Billable</Badge> : <Badge>Not billable</Badge>;
