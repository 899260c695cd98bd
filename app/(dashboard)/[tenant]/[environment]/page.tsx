import { redirect } from "next/navigation";
import { dashboardPlace } from "@/lib/auth/dashboard-caller";
import type { PlaceParams } from "./layout";

export default async function EnvironmentPage({ params }: { params: PlaceParams }) {
  const { tenant: slug, environment: name } = await params;
  const { tenant, environment } = await dashboardPlace(slug, name);
  redirect(`/${tenant.slug}/${environment}/api-keys`);
}
