import type { PageContext, Query } from "@/app/(dashboard)/dashboard-page";
import { parse } from "@/app/(dashboard)/run-action";
import { conversationStatuses, listInboxQuery } from "@/lib/conversations/schema";
import { countInbox, listInbox } from "@/lib/conversations/service";
import { customerNames } from "@/lib/customers/service";
import { userNames } from "@/lib/users/service";

/** Counting stops here, where the exact number no longer matters. */
export const countLimit = 1_000;

/** Page parameters that do not affect the list. */
const others = ["pane", "inspect", "message"] as const;

/** The part of the page's query that filters the list. */
export function listQuery(query: Query): Query {
  return Object.fromEntries(
    Object.entries(query).filter(([name]) => !others.some((other) => other === name)),
  );
}

/** Loads the page of the list that the URL requests, with the names it shows. */
export async function loadInbox({ caller, query }: PageContext) {
  const asked = listQuery(query);
  const [page, counts] = await Promise.all([
    listInbox(caller, parse(listInboxQuery, inUtc(asked), "query")),
    countInbox(caller, countLimit),
  ]);
  const [customers, assignees] = await Promise.all([
    customerNames(caller, idsOf(page.data.map(({ customerId }) => customerId))),
    userNames(caller, idsOf(page.data.map(({ assigneeId }) => assigneeId))),
  ]);
  const isFiltered = Object.keys(asked).some((name) => name !== "status" && name !== "cursor");
  const isEmptyInbox = conversationStatuses.every((status) => counts[status] === 0);
  return { ...page, asked, counts, customers, assignees, isFiltered, isEmptyInbox };
}

/** A chosen day starts at midnight UTC. */
function inUtc({ updatedSince, ...asked }: Query): Query {
  if (updatedSince === undefined) return asked;
  const isDay = typeof updatedSince === "string" && /^\d{4}-\d{2}-\d{2}$/.test(updatedSince);
  return { ...asked, updatedSince: isDay ? `${updatedSince}T00:00:00Z` : updatedSince };
}

const idsOf = (ids: (string | null)[]) => [...new Set(ids.flatMap((id) => id ?? []))];
