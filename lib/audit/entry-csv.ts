import { csvStart, toCsvLine } from "@/lib/platform/csv";
import type { AuditEntry } from "./service";

const columns = [
  "sequence",
  "time",
  "actor_type",
  "actor_id",
  "actor_name",
  "action",
  "target_id",
  "environment",
  "address",
  "request_id",
  "changes",
];

export const auditCsvHead = csvStart + toCsvLine(columns);

export function auditCsvLine(entry: AuditEntry): string {
  const {
    sequence,
    createdAt,
    actorType,
    actorId,
    actorName,
    action,
    targetId,
    environment,
    address,
    requestId,
    changes,
  } = entry;
  return toCsvLine([
    ...[String(sequence), createdAt.toISOString(), actorType, actorId, actorName, action, targetId],
    ...[environment, address, requestId, JSON.stringify(changes)],
  ]);
}
