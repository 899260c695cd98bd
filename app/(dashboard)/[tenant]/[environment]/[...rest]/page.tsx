import { notFound } from "next/navigation";
import { dashboardPage } from "@/app/(dashboard)/dashboard-page";

export const metadata = { title: "Not found" };

/** Unknown paths below an environment show the not-found page inside the shell. */
export default dashboardPage(async () => notFound());
