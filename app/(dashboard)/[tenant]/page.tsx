import { redirect } from "next/navigation";
import { dashboardPlace } from "@/lib/auth/dashboard-caller";

/** An organization's address alone: its test environment, where nothing can be broken. */
export default async function TenantPage({ params }: { params: Promise<{ tenant: string }> }) {
  const { tenant } = await dashboardPlace((await params).tenant, "test");
  redirect(`/${tenant.slug}/test`);
}
