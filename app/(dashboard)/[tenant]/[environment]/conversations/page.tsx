import { dashboardPage } from "@/app/(dashboard)/dashboard-page";
import { drawInbox } from "./draw-inbox";

export const metadata = { title: "Conversations" };

export default dashboardPage((visit) => drawInbox(visit, null));
