import { pageOf } from "@/app/(dashboard)/page-of";
import { drawInbox } from "./draw-inbox";

export const metadata = { title: "Conversations" };

export default pageOf((visit) => drawInbox(visit, null));
