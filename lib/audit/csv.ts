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

export const auditCsvHead = toLine(columns);

export function auditCsvLine(entry: AuditEntry, actorName: string | null): string {
  const { sequence, createdAt, actorType, actorId, action, targetId, environment, address, requestId, changes } = entry;
  return toLine([
    ...[String(sequence), createdAt.toISOString(), actorType, actorId, actorName, action, targetId],
    ...[environment, address, requestId, JSON.stringify(changes)],
  ]);
}

function toLine(values: (string | null)[]): string {
  return `${values.map((value) => cell(value ?? "")).join(",")}\r\n`;
}

/** As RFC 4180 has it. A spreadsheet takes what begins with one of these signs for a formula, and names are anybody's. */
function cell(value: string): string {
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
