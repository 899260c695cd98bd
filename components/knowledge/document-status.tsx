import { Badge, type BadgeLook } from "@/components/ui/badge";
import type { Document } from "@/lib/knowledge/documents/schema";

export const documentStatusLabels: Record<Document["status"], string> = {
  PENDING: "Waiting",
  PROCESSING: "Being read",
  READY: "Ready",
  FAILED: "Failed",
};

const looks: Record<Document["status"], BadgeLook> = {
  PENDING: "plain",
  PROCESSING: "accent",
  READY: "good",
  FAILED: "danger",
};

export function DocumentStatus({ status }: { status: Document["status"] }) {
  return <Badge look={looks[status]}>{documentStatusLabels[status]}</Badge>;
}
