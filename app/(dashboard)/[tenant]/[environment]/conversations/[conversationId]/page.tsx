import { cache } from "react";
import { dashboardPage, objectTitle } from "@/app/(dashboard)/dashboard-page";
import { getConversation } from "@/lib/conversations/service";
import { renderInbox } from "../inbox-page";

type Props = { params: Promise<{ tenant: string; environment: string; conversationId: string }> };

/** Screen readers read the title when j and k open another conversation. */
export const generateMetadata = objectTitle<"conversationId">(
  "Conversations",
  async (caller, { conversationId }) => {
    const { subject, lastMessagePreview } = await load(caller, conversationId);
    return subject ?? lastMessagePreview ?? "Conversation";
  },
);

export default dashboardPage<"conversationId">((visit) =>
  renderInbox(visit, visit.params.conversationId),
);
