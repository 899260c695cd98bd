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
import type { Message } from "@/lib/conversations/message-schema";
import { getMessage, listMessages } from "@/lib/conversations/messages";
import { type Conversation, transitions } from "@/lib/conversations/schema";
import { getConversation } from "@/lib/conversations/service";
import { displayName } from "@/lib/customers/display-name";
import type { Customer } from "@/lib/customers/schema";
import { getCustomer } from "@/lib/customers/service";
import type { Caller } from "@/lib/platform/caller";
import { env } from "@/lib/platform/env";
import { hasRole, roleSentence } from "@/lib/platform/roles";
import { isId } from "@/lib/resources/ids";
import { userNames } from "@/lib/users/service";
import { findCustomersAction, sendMessageAction, updateConversationAction } from "./actions";
import { listQuery } from "./load-inbox";

/** The panes of the open conversation, and the drawer with its JSON. */
export async function renderConversationPanes(
  visit: PageContext,
  id: string,
  path: string,
  members: { id: string; name: string }[],
) {
  const { caller, base, tenant, environment, role, query, now } = visit;
  const conversation = await getConversation(caller, id);
  const [window, customer, agent, names] = await Promise.all([
    readWindow(caller, id, query.message),
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

  const thread = (
    <Thread
      key={id}
      conversation={conversation}
      title={conversation.subject ?? (customer ? displayName(customer) : "No subject")}
      customerName={customer && displayName(customer)}
      messages={window.messages}
      earlierHref={window.earlierId && here({ message: window.earlierId, inspect: null })}
      newestHref={window.isNewest ? null : here({ message: null, inspect: null })}
      listHref={withQuery(`${base}/conversations`, list, list)}
      detailsHref={here({ pane: "details", inspect: null })}
      inspectHref={inspectHref}
      actions={
        update && (
          <StatusActions
            status={conversation.status}
            allowed={transitions[conversation.status]}
            environment={environment}
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
    <ObjectDrawer {...inspected} closeHref={here({ inspect: null })} />
  ) : null;
  return { thread, details, inspector };
}

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
      send={sendMessageAction.bind(null, { tenant: tenant.slug, environment }, id)}
    />
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
