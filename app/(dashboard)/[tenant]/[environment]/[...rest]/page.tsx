import { notFound } from "next/navigation";
import { dashboardPage } from "@/app/(dashboard)/dashboard-page";

/** Any other address below an environment is not found inside the frame, and not outside of it. */
export default dashboardPage(async () => notFound());
