import type { ReactNode } from "react";
import { signOutAction } from "@/app/(auth)/actions";
import { Shell } from "@/components/shell/shell";
import { dashboardPlace } from "@/lib/auth/dashboard-caller";
import { roleNames } from "@/lib/auth/roles";

/** Draws the frame only. Next keeps a layout while its pages change, so each page asks for itself who may see it. */
export default async function DashboardLayout({
  params,
  children,
}: {
  params: Promise<{ tenant: string; environment: string }>;
  children: ReactNode;
}) {
  const { tenant: slug, environment: name } = await params;
  const { user, tenant, environment, role } = await dashboardPlace(slug, name);
  return (
    <Shell tenant={tenant} environment={environment} user={user} roleName={roleNames[role]} signOut={signOutAction}>
      {children}
    </Shell>
  );
}
