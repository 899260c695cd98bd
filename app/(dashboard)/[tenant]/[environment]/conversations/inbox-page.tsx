import type { PageContext } from "@/app/(dashboard)/dashboard-page";
import { CreateConversationDialog } from "@/components/conversations/create-conversation-dialog";
import { Inbox } from "@/components/conversations/inbox";
import { AutoRefresh } from "@/components/ui/auto-refresh";
import { EmptyState } from "@/components/ui/empty-state";
import { PageHeader } from "@/components/ui/page-header";
import { RoleNote } from "@/components/ui/role-note";
import type { Conversation } from "@/lib/conversations/schema";
import { env } from "@/lib/platform/env";
import { hasRole, roleSentence } from "@/lib/platform/roles";
import { listMemberNames } from "@/lib/users/service";
import { createConversationAction } from "./actions";
import { renderConversationPanes } from "./conversation-panes";
import { renderListPane } from "./list-pane";
import { loadInbox } from "./load-inbox";

/** Renders both pages: the list, and next to it the open conversation. */
export async function renderInbox(visit: PageContext, opened: Conversation | null) {
  const openId = opened?.id ?? null;
  const { caller, base, tenant, environment, role, user } = visit;
  const path = openId ? `${base}/conversations/${openId}` : `${base}/conversations`;
  const loading = loadInbox(visit);
  const naming = listMemberNames(caller).then((names) =>
    names.map(({ id, name }) => ({ id, name: id === user.id ? `${name} (you)` : name })),
  );
  const [list, members, open] = await Promise.all([
    loading,
    naming,
    opened &&
      naming.then((choices) =>
        renderConversationPanes(visit, opened, { path, members: choices, list: loading }),
      ),
  ]);

  const create = createConversationAction.bind(null, { tenant: tenant.slug, environment });
  const canCreate = hasRole(role, "MEMBER");
  if (list.isEmptyInbox && !open) {
    return (
      <>
        <PageHeader
          title="Conversations"
          description="Messages from your customers, and your team's replies."
        />
        <EmptyState
          title={`No ${environment} conversations yet`}
          action={
            canCreate ? (
              <CreateConversationDialog base={base} environment={environment} create={create} />
            ) : (
              <RoleNote sentence={roleSentence("MEMBER", "create conversations")} />
            )
          }
          curl={createCurl(environment)}
        >
          A conversation starts when a customer writes, or when you write to a customer. Those that
          the API creates appear here, too.
        </EmptyState>
        <AutoRefresh waitsForDialogs />
      </>
    );
  }

  return (
    <>
      <Inbox
        pane={openId ? (visit.query.pane === "details" ? "details" : "thread") : "list"}
        list={renderListPane(visit, {
          list,
          members,
          openId,
          path,
          create: canCreate ? (
            <CreateConversationDialog
              base={base}
              environment={environment}
              isIcon
              create={create}
            />
          ) : null,
        })}
        thread={open?.thread ?? null}
        details={open?.details ?? null}
      />
      {open?.inspector}
      <AutoRefresh />
    </>
  );
}

function createCurl(environment: string): string {
  const { APP_URL, SERVICE_PREFIX } = env();
  return `curl ${APP_URL}/v1/public/conversations -H "Authorization: Bearer ${SERVICE_PREFIX}_${environment}_…" -H "Content-Type: application/json" -d '{"channelId":"web","message":"Hello"}'`;
}
