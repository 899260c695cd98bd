import { Badge, type BadgeVariant } from "@/components/ui/badge";
import type { Document } from "@/lib/knowledge/documents/schema";

export const documentStatusLabels: Record<Document["status"], string> = {
  PENDING: "Waiting",
  PROCESSING: "Processing",
  READY: "Ready",
  FAILED: "Failed",
};

const variants: Record<Document["status"], BadgeVariant> = {
  PENDING: "plain",
  PROCESSING: "accent",
  READY: "good",
  FAILED: "danger",
};

export function DocumentStatus({ status }: { status: Document["status"] }) {
  return <Badge variant={variants[status]}>{documentStatusLabels[status]}</Badge>;
}
