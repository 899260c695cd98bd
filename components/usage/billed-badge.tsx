import { Badge } from "@/components/ui/badge";

/** Test is never billed, and says so wherever its figures stand. */
export const BilledBadge = ({ isBilled }: { isBilled: boolean }) =>
  isBilled ? <Badge look="accent">Billed</Badge> : <Badge>Not billed</Badge>;
