import { cache } from "react";
import { dashboardPage, objectTitle } from "@/app/(dashboard)/dashboard-page";
import { getConversation } from "@/lib/conversations/service";
import { renderInbox } from "../inbox-page";

const load = cache(getConversation);

/** Screen readers read the title when j and k open another conversation. */
export const generateMetadata = objectTitle<"conversationId">(
  "Conversations",
  async (caller, { conversationId }) => {
    const { subject, lastMessagePreview } = await load(caller, conversationId);
    return subject ?? lastMessagePreview ?? "Conversation";
  },
);

export default dashboardPage<"conversationId">(async (visit) =>
  renderInbox(visit, await load(visit.caller, visit.params.conversationId)),
);
