import type { ReactNode } from "react";
import { signOutAction } from "@/app/(auth)/actions";
import { keepOnFailure } from "@/app/(dashboard)/page-of";
import { confirmPasswordAction } from "@/app/(dashboard)/proof-actions";
import { ProofProvider } from "@/components/shell/proof";
import { Shell } from "@/components/shell/shell";
import { dashboardPlace } from "@/lib/auth/dashboard-caller";
import { linkedProviders } from "@/lib/auth/provider-sign-in";
import { providers } from "@/lib/auth/providers";
import { roleNames } from "@/lib/auth/roles";

type Props = { params: Promise<{ tenant: string; environment: string }>; children: ReactNode };

/** Draws the frame only. Next keeps a layout while its pages change, so each page asks for itself who may see it. */
export default async function DashboardLayout({ params, children }: Props) {
  const { tenant: slug, environment: name } = await params;
  return keepOnFailure(() => drawFrame(slug, name, children), { isFrame: true });
}

async function drawFrame(slug: string, name: string, children: ReactNode) {
  const { user, tenant, environment, role } = await dashboardPlace(slug, name);
  const linked = await linkedProviders(user.id);
  return (
    <ProofProvider
      email={user.email}
      confirmPassword={user.hasPassword ? confirmPasswordAction : null}
      providers={linked.map((provider) => providers[provider])}
    >
      <Shell
        tenant={{ name: tenant.name, slug: tenant.slug }}
        tenants={user.memberships.map((membership) => ({ name: membership.tenant.name, slug: membership.tenant.slug }))}
        environment={environment}
        user={{ name: user.name, email: user.email }}
        roleName={roleNames[role]}
        signOut={signOutAction}
      >
        {children}
      </Shell>
    </ProofProvider>
  );
}
