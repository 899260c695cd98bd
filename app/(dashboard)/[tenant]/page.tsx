import { redirect } from "next/navigation";
import { dashboardPlace } from "@/lib/auth/dashboard-caller";

/** The URL of an organization alone leads to its test environment, where nothing can break. */
export default async function TenantPage({ params }: { params: Promise<{ tenant: string }> }) {
  const { tenant } = await dashboardPlace((await params).tenant, "test");
  redirect(`/${tenant.slug}/test`);
}
