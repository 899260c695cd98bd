import { dashboardPage } from "@/app/(dashboard)/dashboard-page";
import { renderInbox } from "./inbox-page";

export const metadata = { title: "Conversations" };

export default dashboardPage((visit) => renderInbox(visit, null));
