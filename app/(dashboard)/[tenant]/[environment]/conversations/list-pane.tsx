import type { ReactNode } from "react";
import type { PageContext } from "@/app/(dashboard)/dashboard-page";
import { BulkActions } from "@/components/conversations/bulk-actions";
import { ConversationList } from "@/components/conversations/conversation-list";
import { priorityLabels, statusLabels } from "@/components/conversations/labels";
import { SavedViews } from "@/components/conversations/saved-views";
import { SearchBox } from "@/components/conversations/search-box";
import { StatusTabs } from "@/components/conversations/status-tabs";
import { ButtonLink } from "@/components/ui/button";
import { type Filter, Filters } from "@/components/ui/filters";
import { Pager, withQuery } from "@/components/ui/pager";
import { type Shortcut, Shortcuts } from "@/components/ui/shortcuts";
import { mostCheckedForUnread } from "@/lib/conversations/inbox.sql";
import { conversationStatuses, nobody } from "@/lib/conversations/schema";
import { hasRole } from "@/lib/platform/roles";
import {
  changeConversationsAction,
  deleteViewAction,
  findAgentsAction,
  findCustomersAction,
  saveViewAction,
  undoConversationsAction,
} from "./actions";
import { countLimit, type loadInbox } from "./load-inbox";

const filtersOf = (members: Member[], visit: PageContext, names: List["filterNames"]): Filter[] => [
  {
    name: "assigneeId",
    label: "Assignee",
    options: [
      { value: nobody, label: "No one" },
      ...members.map(({ id, name }) => ({ value: id, label: name })),
    ],
  },
  { name: "channelId", label: "Channel", type: "text", placeholder: "web" },
  { name: "tag", label: "Tag", type: "text" },
  {
    name: "customerId",
    label: "Customer",
    type: "pick",
    placeholder: "Name, email or phone",
    chosen: names.customer,
    find: findCustomersAction.bind(null, placeOf(visit)),
  },
  {
    name: "agentId",
    label: "Agent",
    type: "pick",
    placeholder: "Name",
    chosen: names.agent,
    find: findAgentsAction.bind(null, placeOf(visit)),
  },
  {
    name: "priority",
    label: "Priority",
    options: Object.entries(priorityLabels).map(([value, label]) => ({ value, label })),
  },
  {
    name: "sort",
    label: "Sort",
    all: "Newest first",
    options: [
      { value: "oldest", label: "Longest waiting first" },
      { value: "priority", label: "Most urgent first" },
    ],
  },
  { name: "externalId", label: "External ID", type: "text" },
  { name: "updatedSince", label: "Changed since", type: "date" },
];

const shortcuts: Shortcut[] = [
  { keys: "/", does: "Search" },
  { keys: "j", does: "Next conversation" },
  { keys: "k", does: "Previous conversation" },
  { keys: "r", does: "Reply" },
  { keys: "n", does: "Write an internal note" },
  { keys: "e", does: "Resolve, and open the next conversation" },
  { keys: "Ctrl Enter", does: "Send the message" },
  { keys: "Ctrl V", does: "Attach copied files to the message" },
  { keys: "Esc", does: "Stop writing and keep the text" },
];

type List = Awaited<ReturnType<typeof loadInbox>>;
type Member = { id: string; name: string };

type ListPaneProps = {
  list: List;
  members: Member[];
  openId: string | null;
  path: string;
  create: ReactNode;
};

export function renderListPane(
  visit: PageContext,
  { list, members, openId, path, create }: ListPaneProps,
) {
  const { now, role, user } = visit;
  const canChange = hasRole(role, "MEMBER");
  const { asked, isSearch, isFiltered, customers, assignees, unread, savedViews } = list;
  // A search looks at all conversations unless a status is chosen.
  const anyStatus = isSearch ? "all" : "OPEN";
  const status = typeof asked.status === "string" ? asked.status : anyStatus;
  const items = list.data.map((conversation) => ({
    ...conversation,
    href: conversationHref(visit, list, conversation.id),
    hit: list.hits.get(conversation.id) ?? null,
    isUnread: unread.has(conversation.id) && conversation.id !== openId,
    customerName: conversation.customerId ? (customers.get(conversation.customerId) ?? null) : null,
    assigneeName: conversation.assigneeId
      ? (assignees.get(conversation.assigneeId) ?? "A former member")
      : null,
  }));
  const tabs = [...conversationStatuses, "all" as const].map((tab) => ({
    name: tab === "all" ? "All" : statusLabels[tab],
    href: withQuery(path, asked, { status: tab === anyStatus ? null : tab }),
    isCurrent: tab === status,
    // The counts cover the whole environment, so next to filters they would be misleading.
    ...(!isFiltered &&
      !isSearch &&
      !asked.unread && {
        count: countLabel(tab === "all" ? countAll(list.counts) : list.counts[tab]),
      }),
  }));

  const { cursor: _page, ...filters } = asked;
  const current = withQuery("", filters, {}).slice(1);
  const isSaved = savedViews.some(({ query }) => query === current);
  const views = [
    ...[
      { name: "Everyone", assigneeId: null },
      { name: "Mine", assigneeId: user.id },
      { name: "Unassigned", assigneeId: nobody },
    ].map(({ name, assigneeId }) => ({
      name,
      href: withQuery(path, asked, { assigneeId, unread: null }),
      isCurrent: !isSaved && !asked.unread && (asked.assigneeId ?? null) === assigneeId,
    })),
    {
      name: "Unread",
      // A customer's message does not reopen a pending conversation, so this is not only about open ones.
      href: withQuery(path, {}, { unread: "true", status: "all" }),
      isCurrent: !isSaved && Boolean(asked.unread),
    },
    ...savedViews.map(({ userId, name, query }) => ({
      key: `${userId} ${name}`,
      name,
      href: `${path}?${query}`,
      isCurrent: query === current,
    })),
  ];
  const rows = (
    <ConversationList
      items={items}
      openId={openId}
      showsStatus={!(status in statusLabels)}
      isSelectable={canChange}
      now={now}
    />
  );

  return (
    <>
      <header className="flex items-center gap-1 px-4 pt-3 pb-2">
        <p className="mr-auto font-semibold text-base" aria-hidden="true">
          Conversations
        </p>
        <SavedViews
          current={current}
          views={savedViews.map((view) => ({
            ...view,
            isOwn: view.userId === user.id,
            canDelete: view.userId === user.id || hasRole(role, "ADMIN"),
          }))}
          canShare={canChange}
          save={saveViewAction.bind(null, placeOf(visit))}
          remove={deleteViewAction.bind(null, placeOf(visit))}
        />
        <Shortcuts shortcuts={shortcuts} />
        {create}
      </header>
      <SearchBox label="Search messages, subjects and customers" />
      <StatusTabs label="Views" tabs={views} />
      <StatusTabs label="Conversations by status" tabs={tabs} />
      <div className="min-h-0 flex-1 overflow-y-auto border-line border-t">
        <details open={isFiltered} className="border-line border-b px-4 py-2">
          <summary className="w-fit text-muted text-xs hover:text-ink">Filters</summary>
          <div className="pt-2 [&_form>div]:w-full [&_input]:w-full [&_select]:w-full [&_select]:max-w-none">
            <Filters isOpen filters={filtersOf(members, visit, list.filterNames)} />
          </div>
        </details>
        {items.length > 0 ? (
          canChange ? (
            <BulkActions
              members={members}
              change={changeConversationsAction.bind(null, placeOf(visit))}
              undo={undoConversationsAction.bind(null, placeOf(visit))}
            >
              {rows}
            </BulkActions>
          ) : (
            rows
          )
        ) : (
          <div className="space-y-3 px-4 py-10 text-center">
            <p className="text-muted">{emptySentence(status, list)}</p>
            {isFiltered || isSearch || asked.unread ? (
              <ButtonLink variant="secondary" size="small" href={path}>
                {isSearch ? "Clear search" : "Clear filters"}
              </ButtonLink>
            ) : null}
          </div>
        )}
        <div className="px-4 pb-4">
          <Pager path={path} query={asked} nextCursor={list.nextCursor} />
        </div>
      </div>
    </>
  );
}

const placeOf = ({ tenant, environment }: PageContext) => ({ tenant: tenant.slug, environment });

/** Opening a conversation does not change the page of the list. */
export function conversationHref(
  { base }: PageContext,
  { asked, hits }: Pick<List, "asked" | "hits">,
  id: string,
): string {
  const cursor = typeof asked.cursor === "string" ? asked.cursor : null;
  const messageId = hits.get(id)?.messageId;
  const href = withQuery(`${base}/conversations/${id}`, asked, { cursor });
  return messageId ? `${href}#${messageId}` : href;
}

function emptySentence(status: string, { asked, isSearch, isFiltered, problem }: List): string {
  if (problem) return `The search ${problem}.`;
  if (isSearch)
    return "No conversations match this search. It finds words from their start: “refund” finds “refunds”.";
  if (asked.unread)
    return `No unread messages in the ${mostCheckedForUnread.toLocaleString("en")} most recently changed conversations.`;
  if (isFiltered) return "No conversations match these filters.";
  return status in statusLabels
    ? `No conversation is ${status.toLowerCase()}.`
    : "No conversations here.";
}

/** At least the limit if a status has reached it. */
const countAll = (counts: List["counts"]) =>
  conversationStatuses.reduce((total, status) => total + counts[status], 0);

const countLabel = (count: number) => (count >= countLimit ? `${countLimit - 1}+` : String(count));
