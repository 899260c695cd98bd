import { pageOf } from "@/app/(dashboard)/page-of";
import { drawInbox } from "../draw-inbox";

export const metadata = { title: "Conversation" };

export default pageOf<"conversationId">((visit) => drawInbox(visit, visit.params.conversationId));
