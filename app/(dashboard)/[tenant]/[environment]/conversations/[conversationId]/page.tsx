import { dashboardPage } from "@/app/(dashboard)/dashboard-page";
import { dashboardCaller } from "@/lib/auth/dashboard-caller";
import { getConversation } from "@/lib/conversations/service";
import { renderInbox } from "../inbox-page";

type Props = { params: Promise<{ tenant: string; environment: string; conversationId: string }> };

/** Screen readers read the title when j and k open another conversation. */
export async function generateMetadata({ params }: Props) {
  const { tenant, environment, conversationId } = await params;
  const { caller } = await dashboardCaller(tenant, environment);
  // The page itself shows that it was not found.
  const conversation = await getConversation(caller, conversationId).catch(() => null);
  return { title: conversation?.subject ?? conversation?.lastMessagePreview ?? "Conversation" };
}

export default dashboardPage<"conversationId">((visit) =>
  renderInbox(visit, visit.params.conversationId),
);
