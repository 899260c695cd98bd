import type { ComponentProps } from "react";
import type { PageContext, Query } from "@/app/(dashboard)/dashboard-page";
import { Composer } from "@/components/conversations/composer";
import { DetailsPane } from "@/components/conversations/details-pane";
import { statusLabels } from "@/components/conversations/labels";
import { StatusActions } from "@/components/conversations/status-actions";
import { Thread } from "@/components/conversations/thread";
import { ObjectDrawer } from "@/components/ui/object-drawer";
import { withQuery } from "@/components/ui/pager";
import { RoleNote } from "@/components/ui/role-note";
import { getAgent } from "@/lib/agents/service";
import { conversationHistory } from "@/lib/conversations/history";
import { type Message, maximumAttachments } from "@/lib/conversations/message-schema";
import { getMessage, listMessages } from "@/lib/conversations/messages";
import { type Conversation, transitions } from "@/lib/conversations/schema";
import { visitConversation } from "@/lib/conversations/visits";
import { displayName } from "@/lib/customers/display-name";
import type { Customer } from "@/lib/customers/schema";
import { getCustomer } from "@/lib/customers/service";
import { deliveriesOfMessages } from "@/lib/deliveries/search";
import { maximumFileBytes } from "@/lib/files/schema";
import type { Caller } from "@/lib/platform/caller";
import { env } from "@/lib/platform/env";
import { hasRole, roleSentence } from "@/lib/platform/roles";
import { isId } from "@/lib/resources/ids";
import { userNames } from "@/lib/users/service";
import {
  deleteConversationAction,
  findCustomersAction,
  listMembersAction,
  redactMessageAction,
  sendMessageAction,
  updateConversationAction,
} from "./actions";
import { conversationHref } from "./list-pane";
import { listQuery, type loadInbox } from "./load-inbox";

type Surroundings = {
  path: string;
  members: { id: string; name: string }[];
  /** Loads while the conversation does. */
  list: ReturnType<typeof loadInbox>;
};

/** The panes of the open conversation, and the drawer with its JSON. */
export async function renderConversationPanes(
  visit: PageContext,
  conversation: Conversation,
  { path, members, list: loading }: Surroundings,
) {
  const { caller, base, tenant, environment, role, query, now } = visit;
  const { id } = conversation;
  const reading = readWindow(caller, id, query.message);
  const [window, present, history, customer, agent, names] = await Promise.all([
    reading,
    reading.then(({ isNewest }) => visitConversation(caller, conversation, { seen: isNewest })),
    readHistory(caller, conversation),
    conversation.customerId ? getCustomer(caller, conversation.customerId) : null,
    conversation.agentId ? getAgent(caller, conversation.agentId) : null,
    userNames(caller, conversation.assigneeId ? [conversation.assigneeId] : []),
  ]);

  const place = { tenant: tenant.slug, environment };
  const list = keepingPage(query);
  const here = (changes: Record<string, string | null>) =>
    withQuery(path, { ...query, ...list }, { ...list, ...changes });
  const inspectHref = (inspected: string) => here({ inspect: inspected });
  const assigneeName = conversation.assigneeId
    ? (names.get(conversation.assigneeId) ?? "A former member")
    : null;
  const canWrite = hasRole(role, "MEMBER");
  const update = canWrite ? updateConversationAction.bind(null, place, id) : null;

  const replies = window.messages.filter(({ direction }) => direction === "OUTBOUND");
  const [listed, deliveries] = await Promise.all([
    loading,
    deliveriesOfMessages(caller, replies.slice(-mostRepliesWithDeliveries)),
  ]);
  const nextHref = afterThis(visit, listed, id);
  const thread = (
    <Thread
      key={id}
      conversation={conversation}
      title={conversation.subject ?? (customer ? displayName(customer) : "No subject")}
      customerName={customer && displayName(customer)}
      messages={window.messages}
      changes={changesWithin(history, window)}
      present={present}
      deliveries={deliveries}
      base={base}
      earlierHref={window.earlierId && here({ message: window.earlierId, inspect: null })}
      newestHref={window.isNewest ? null : here({ message: null, inspect: null })}
      listHref={withQuery(`${base}/conversations`, list, list)}
      detailsHref={here({ pane: "details", inspect: null })}
      inspectHref={inspectHref}
      redact={canWrite ? redactMessageAction.bind(null, place, id) : null}
      actions={
        update && (
          <StatusActions
            conversationId={id}
            status={conversation.status}
            snoozedUntil={conversation.snoozedUntil}
            allowed={transitions[conversation.status]}
            environment={environment}
            nextHref={nextHref}
            update={update}
          />
        )
      }
      composer={renderComposer(visit, conversation)}
      now={now}
    />
  );
  const details = (
    <DetailsPane
      key={id}
      conversation={conversation}
      customer={customer}
      agentName={agent?.name ?? null}
      assigneeName={assigneeName}
      members={withFormer(members, conversation.assigneeId, assigneeName)}
      base={base}
      threadHref={here({ pane: null, inspect: null })}
      inspectHref={inspectHref}
      update={update}
      remove={canWrite ? deleteConversationAction.bind(null, place, id) : null}
      listHref={withQuery(`${base}/conversations`, list, list)}
      findCustomers={findCustomersAction.bind(null, place)}
      refusal={roleSentence("MEMBER", "change conversations")}
      now={now}
    />
  );
  const inspected = await findInspected(
    caller,
    query.inspect,
    conversation,
    customer,
    window.messages,
  );
  const inspector = inspected ? (
    <ObjectDrawer {...inspected} base={base} closeHref={here({ inspect: null })} />
  ) : null;
  return { thread, details, inspector };
}

/** What opens once this conversation is resolved: the next one of the list, or else the list. */
function afterThis(visit: PageContext, list: Awaited<ReturnType<typeof loadInbox>>, id: string) {
  const at = list.data.findIndex((conversation) => conversation.id === id);
  const next = list.data[at + 1] ?? list.data[at - 1];
  return next && next.id !== id
    ? conversationHref(visit, list, next.id)
    : withQuery(`${visit.base}/conversations`, list.asked, {});
}

/** Older ones were delivered long ago, or never will be. */
const mostRepliesWithDeliveries = 20;

function renderComposer({ role, environment, tenant }: PageContext, { id, status }: Conversation) {
  const className = "border-line border-t p-4";
  if (status === "CLOSED") {
    return (
      <p className={`${className} text-muted`}>
        {statusLabels.CLOSED}. To continue, start a new conversation.
      </p>
    );
  }
  if (!hasRole(role, "MEMBER")) {
    return (
      <div className={className}>
        <RoleNote sentence={roleSentence("MEMBER", "write in conversations")} />
      </div>
    );
  }
  return (
    <Composer
      key={id}
      conversationId={id}
      kinds={environment === "test" ? ["reply", "note", "customer"] : ["reply", "note"]}
      canResolve={transitions[status].includes("RESOLVED")}
      files={{
        url: `/api/dashboard/${tenant.slug}/${environment}/files`,
        maximumBytes: maximumFileBytes,
        maximumCount: maximumAttachments,
      }}
      listMembers={listMembersAction.bind(null, { tenant: tenant.slug, environment })}
      send={sendMessageAction.bind(null, { tenant: tenant.slug, environment }, id)}
    />
  );
}

type Change = ComponentProps<typeof Thread>["changes"][number];

/** The changes of status and assignee, with the names of the assignees. */
async function readHistory(caller: Caller, conversation: Conversation): Promise<Change[]> {
  const items = await conversationHistory(caller, conversation);
  const ids = items.flatMap(({ assignee }) => [assignee?.from ?? [], assignee?.to ?? []].flat());
  const names = ids.length > 0 ? await userNames(caller, [...new Set(ids)]) : new Map();
  return items.map(({ assignee, ...item }) => ({
    ...item,
    assigneeName: assignee && (assignee.to ? (names.get(assignee.to) ?? "A former member") : null),
    isAssignment: assignee !== null,
  }));
}

/** Those between the messages that are shown. */
function changesWithin(
  changes: Change[],
  { messages, earlierId, isNewest }: Awaited<ReturnType<typeof readWindow>>,
): Change[] {
  const first = messages[0];
  const last = messages.at(-1);
  return changes.filter(
    ({ at }) =>
      (!earlierId || !first || at >= new Date(first.createdAt)) &&
      (isNewest || !last || at <= new Date(last.createdAt)),
  );
}

const windowSize = 50;

/**
 * The newest messages, or those around the one named in the URL, oldest first. `earlierId` is the
 * oldest of them if there are earlier ones.
 */
async function readWindow(caller: Caller, conversationId: string, around: Query[string]) {
  if (typeof around !== "string" || !isId("message", around)) {
    const newest = await listMessages(caller, conversationId, { limit: windowSize, order: "desc" });
    return {
      messages: newest.data.toReversed(),
      earlierId: newest.nextCursor ?? null,
      isNewest: true,
    };
  }
  const half = windowSize / 2;
  const [before, middle, after] = await Promise.all([
    listMessages(caller, conversationId, { limit: half, order: "desc", cursor: around }),
    getMessage(caller, conversationId, around),
    listMessages(caller, conversationId, { limit: half, order: "asc", cursor: around }),
  ]);
  return {
    messages: [...before.data.toReversed(), middle, ...after.data],
    earlierId: before.nextCursor ?? null,
    isNewest: after.nextCursor === undefined,
  };
}

/** The object that the URL selects to show as JSON, if it belongs to this conversation. */
async function findInspected(
  caller: Caller,
  asked: Query[string],
  conversation: Conversation,
  customer: Customer | null,
  shown: Message[],
) {
  if (typeof asked !== "string") return null;
  const { id } = conversation;
  if (asked === id)
    return {
      title: "Conversation",
      value: conversation,
      curl: curlOf(caller, `conversations/${id}`),
    };
  if (asked === customer?.id)
    return { title: "Customer", value: customer, curl: curlOf(caller, `customers/${asked}`) };
  const message =
    shown.find((each) => each.id === asked) ??
    (isId("message", asked) ? await getMessage(caller, id, asked) : null);
  return (
    message && {
      title: "Message",
      value: message,
      curl: curlOf(caller, `conversations/${id}/messages/${asked}`),
    }
  );
}

function curlOf({ partition }: Caller, path: string): string {
  const { APP_URL, SERVICE_PREFIX } = env();
  return `curl ${APP_URL}/v1/public/${path} -H "Authorization: Bearer ${SERVICE_PREFIX}_${partition.environment}_…"`;
}

/** The query of the list, including its page. `withQuery` would start at the first page. */
function keepingPage(query: Query): Record<string, string> {
  return Object.fromEntries(
    Object.entries(listQuery(query)).filter(
      (entry): entry is [string, string] => typeof entry[1] === "string",
    ),
  );
}

/** Adds a former member who is still the assignee. */
function withFormer(
  members: { id: string; name: string }[],
  id: string | null,
  name: string | null,
) {
  return id && name && !members.some((member) => member.id === id)
    ? [...members, { id, name: `${name} (left)` }]
    : members;
}
