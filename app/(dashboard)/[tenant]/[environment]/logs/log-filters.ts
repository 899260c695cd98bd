import type { Query } from "@/app/(dashboard)/dashboard-page";
import { orderFilter } from "@/components/ui/pager";
import { loggedMethods } from "@/lib/request-logs/schema";

export const textOf = (value: Query[string]): string | null =>
  typeof value === "string" ? value : null;

export function filtersFor(
  keys: { id: string; name: string; hint: string }[],
  { status, errorKind, operation }: Query,
  isGrouped: boolean,
) {
  const statuses = [
    { value: "2xx", label: "2xx succeeded" },
    { value: "4xx", label: "4xx rejected" },
    { value: "5xx", label: "5xx failed" },
  ];
  // A status from a link.
  if (typeof status === "string" && /^\d+$/.test(status))
    statuses.push({ value: status, label: status });
  return [
    {
      name: "method",
      label: "Method",
      options: loggedMethods.map((value) => ({ value, label: value })),
    },
    { name: "status", label: "Status", options: statuses },
    // From a link of "Errors by type".
    ...(typeof errorKind === "string"
      ? [{ name: "errorKind", label: "Error", options: [{ value: errorKind, label: errorKind }] }]
      : []),
    ...(typeof operation === "string"
      ? [
          {
            name: "operation",
            label: "Operation",
            options: [{ value: operation, label: operation.replace(/^\/v1\/public/, "") }],
          },
        ]
      : []),
    {
      name: "apiKeyId",
      label: "Key",
      options: keys.map(({ id, name, hint }) => ({ value: id, label: `${name} (${hint})` })),
    },
    {
      name: "path",
      label: "Path prefix",
      type: "search" as const,
      placeholder: "/v1/public/conversations",
    },
    { name: "idempotencyKey", label: "Idempotency key", type: "search" as const },
    { name: "request", label: "Request ID", type: "search" as const, placeholder: "req_…" },
    ...(isGrouped ? [] : [orderFilter]),
  ];
}
