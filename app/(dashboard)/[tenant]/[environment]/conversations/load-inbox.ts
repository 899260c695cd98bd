import type { PageContext, Query } from "@/app/(dashboard)/dashboard-page";
import { parse } from "@/app/(dashboard)/run-action";
import { viewerTime } from "@/components/ui/viewer-time";
import { getAgent } from "@/lib/agents/service";
import { listSavedViews } from "@/lib/conversations/saved-views";
import {
  type Conversation,
  conversationStatuses,
  listInboxQuery,
} from "@/lib/conversations/schema";
import { searchInbox } from "@/lib/conversations/search";
import { type SearchHighlight, searchInboxQuery } from "@/lib/conversations/search-schema";
import { countInbox, listInbox } from "@/lib/conversations/service";
import { unreadConversations } from "@/lib/conversations/visits";
import { customerNames } from "@/lib/customers/service";
import type { Caller } from "@/lib/platform/caller";
import { readFromReplica } from "@/lib/platform/replica";
import { fromLocalMinute } from "@/lib/platform/zoned-time";
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
  const isSearch = typeof asked.q === "string" && asked.q.trim() !== "";
  const listing = isSearch ? findConversations(caller, asked) : listConversations(caller, asked);
  const [page, names, counts, savedViews] = await Promise.all([
    listing,
    listing.then(({ data }) => loadNames(caller, asked, data)),
    countInbox(caller, countLimit),
    listSavedViews(caller),
  ]);
  const isFiltered = Object.keys(asked).some(
    (name) => !["status", "cursor", "q", "sort", "unread"].includes(name),
  );
  const isEmptyInbox = conversationStatuses.every((status) => counts[status] === 0);
  return {
    ...page,
    ...names,
    asked,
    counts,
    savedViews,
    isSearch,
    isFiltered,
    isEmptyInbox,
  };
}

/** What the list shows of other resources, and which of its conversations are unread. */
async function loadNames(caller: Caller, asked: Query, data: Conversation[]) {
  const [customers, assignees, agent, unread] = await Promise.all([
    customerNames(
      caller,
      idsOf([textOf(asked.customerId), ...data.map(({ customerId }) => customerId)]),
    ),
    userNames(caller, idsOf(data.map(({ assigneeId }) => assigneeId))),
    // Only for a list of one agent's conversations.
    nameOfAgent(caller, textOf(asked.agentId)),
    unreadConversations(
      caller,
      data.map(({ id }) => id),
    ),
  ]);
  const customer = nameOfCustomer(customers, textOf(asked.customerId));
  return { customers, assignees, unread, filterNames: { customer, agent } };
}

async function listConversations(caller: Caller, { q: _empty, ...asked }: Query) {
  const page = await listInbox(caller, parse(listInboxQuery, inUtc(asked), "query"));
  return { ...page, hits: new Map<string, SearchHighlight>(), problem: null };
}

/** With the best highlight of each conversation: that of a message, if there is one. */
async function findConversations(caller: Caller, asked: Query) {
  const query = parse(searchInboxQuery, inUtc(withoutSort(asked)), "query");
  const { data, problem, ...page } = await readFromReplica(caller, (reader) =>
    searchInbox(reader, query),
  );
  const hits = data.flatMap(({ conversation, highlights }): [string, SearchHighlight][] => {
    const best = highlights.find(({ field }) => field === "message") ?? highlights[0];
    return best ? [[conversation.id, best]] : [];
  });
  return {
    ...page,
    data: data.map(({ conversation }) => conversation),
    hits: new Map(hits),
    problem,
  };
}

/** Search results are sorted by relevance, read or not. */
const withoutSort = ({ sort: _sort, unread: _unread, ...asked }: Query): Query => asked;

/** @throws AppError `validation` for filters that the list does not have */
export function requireListQuery(query: Query): void {
  if (query.q) parse(searchInboxQuery, inUtc(withoutSort(query)), "query");
  else parse(listInboxQuery, inUtc(query), "query");
}

/** A chosen day starts at midnight in the viewer's zone. */
function inUtc({ updatedSince, ...asked }: Query): Query {
  if (updatedSince === undefined) return asked;
  const isDay = typeof updatedSince === "string" && /^\d{4}-\d{2}-\d{2}$/.test(updatedSince);
  const since = isDay ? fromLocalMinute(`${updatedSince}T00:00`, viewerTime().zone) : null;
  // What is not a day is left for the query's schema to refuse.
  return { ...asked, updatedSince: since?.toISOString() ?? updatedSince };
}

const textOf = (value: Query[string]): string | null => (typeof value === "string" ? value : null);

/** The id itself if the customer no longer exists. */
const nameOfCustomer = (names: Map<string, string>, id: string | null) =>
  id && (names.get(id) ?? id);

async function nameOfAgent(caller: Caller, id: string | null): Promise<string | null> {
  if (!id) return null;
  return getAgent(caller, id).then(
    ({ name }) => name,
    () => id,
  );
}

const idsOf = (ids: (string | null)[]) => [...new Set(ids.flatMap((id) => id ?? []))];
