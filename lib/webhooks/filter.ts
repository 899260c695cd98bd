import type { EventType } from "@/lib/events/event-types";
import type { Caller } from "@/lib/platform/caller";
import { readSql } from "@/lib/platform/db";
import { invalidRequest, type ValidationIssue } from "@/lib/platform/errors";
import { matchingEventsStatement } from "./filter.sql";
import type { WebhookFilter } from "./filter-schema";

/**
 * An id of the other environment would match nothing, without a sign of it.
 * @throws AppError `validation` for an agent or a member that does not exist here
 */
export async function requireKnownReferences(
  { db, partition }: Caller,
  { agentId, assigneeId }: WebhookFilter,
): Promise<void> {
  const agentIds = idsIn(agentId);
  const userIds = idsIn(assigneeId);
  const [agents, members] = await Promise.all([
    agentIds.length > 0
      ? db.agent.findMany({ where: { ...partition, id: { in: agentIds } }, select: { id: true } })
      : [],
    userIds.length > 0
      ? db.membership.findMany({
          where: { tenantId: partition.tenantId, userId: { in: userIds } },
          select: { userId: true },
        })
      : [],
  ]);
  const known = new Set([...agents.map(({ id }) => id), ...members.map(({ userId }) => userId)]);
  const issues = [
    ...unknownIn("agentId", agentId, known, "must be an agent of this environment"),
    ...unknownIn("assigneeId", assigneeId, known, "must be a member of this organization"),
  ];
  if (issues.length > 0) throw invalidRequest(issues);
}

type Values = string | null | (string | null)[] | undefined;

const idsIn = (values: Values): string[] => [values ?? []].flat().filter((value) => value !== null);

const unknownIn = (
  field: keyof WebhookFilter,
  values: Values,
  known: ReadonlySet<string>,
  predicate: string,
): ValidationIssue[] =>
  [values ?? []].flat().flatMap((value, index) =>
    value === null || known.has(value)
      ? []
      : {
          pointer: `/filter/${field}${Array.isArray(values) ? `/${index}` : ""}`,
          location: "body" as const,
          code: "unknown_id",
          predicate,
        },
  );

/** How many of the newest events are compared, and how many of them are listed. */
const comparedEvents = 100;
const listedEvents = 10;

export type FilterPreview = {
  compared: number;
  matching: number;
  /** The newest events that match. */
  events: { id: string; type: string; createdAt: string }[];
};

/** Which of the newest events of these types a filter would let through. Every member sees events. */
export async function previewFilter(
  caller: Caller,
  types: EventType[],
  filter: WebhookFilter | null,
): Promise<FilterPreview> {
  const rows = await readSql<FilterPreview["events"][number] & { matches: boolean }>(
    matchingEventsStatement({
      ...caller.partition,
      types,
      filter: filter && JSON.stringify(filter),
      limit: comparedEvents,
    }),
    caller,
  );
  const matching = rows.filter(({ matches }) => matches);
  return {
    compared: rows.length,
    matching: matching.length,
    events: matching
      .slice(0, listedEvents)
      .map(({ id, type, createdAt }) => ({ id, type, createdAt })),
  };
}
