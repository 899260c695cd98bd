import type { Metadata } from "next";
import type { ReactNode } from "react";
import { signOutAction } from "@/app/(auth)/actions";
import { resendEmailVerificationAction } from "@/app/(auth)/verify/actions";
import { renderOrKeepLast } from "@/app/(dashboard)/dashboard-page";
import { findObjectsAction } from "@/app/(dashboard)/find-objects-action";
import { proofMethods } from "@/app/(dashboard)/proof-methods";
import { readViewerTime } from "@/app/(dashboard)/read-viewer-time";
import { SuspendedNotice } from "@/components/access-review/suspended-notice";
import { VerifyAddressNotice } from "@/components/access-review/verify-address-notice";
import { environmentNames } from "@/components/shell/environment-name";
import { ProofProvider } from "@/components/shell/proof-dialog";
import { Shell } from "@/components/shell/shell";
import { countAllSuspendedAccess } from "@/lib/access-review/service";
import { dashboardPlace } from "@/lib/auth/dashboard-caller";
import { mailTransport } from "@/lib/mail/mail-transport";
import { reader } from "@/lib/platform/caller";
import { hasRole } from "@/lib/platform/roles";

import { markReadAction } from "./notifications/actions";

type Props = { params: Promise<{ tenant: string; environment: string }>; children: ReactNode };

/** `{page} · Test · Parlance`, so that tabs and the history tell the environments apart. */
export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { environment } = await params;
  const name = environment === "live" ? environmentNames.live : environmentNames.test;
  return { title: { template: `%s · ${name} · Parlance`, absolute: `${name} · Parlance` } };
}

/**
 * Renders the shell only. Next does not render a layout again when its page changes, so each page checks
 * permissions itself.
 */
export default async function DashboardLayout({ params, children }: Props) {
  const { tenant: slug, environment: name } = await params;
  return renderOrKeepLast(() => renderFrame(slug, name, children), { isFrame: true });
}

async function renderFrame(slug: string, name: string, children: ReactNode) {
  const { user, tenant, environment, role, identity } = await dashboardPlace(slug, name);
  const [methods, suspended, time] = await Promise.all([
    proofMethods(user),
    hasRole(role, "ADMIN") ? countAllSuspendedAccess(reader(identity)) : 0,
    readViewerTime(),
  ]);
  const base = `/${tenant.slug}/${environment}`;
  const needsVerification = mailTransport() === "smtp" && !user.isEmailVerified;
  return (
    <ProofProvider {...methods}>
      <Shell
        tenant={{ name: tenant.name, slug: tenant.slug }}
        tenants={user.memberships.map((membership) => ({
          name: membership.tenant.name,
          slug: membership.tenant.slug,
        }))}
        environment={environment}
        user={{ name: user.name, email: user.email }}
        role={role}
        signOut={signOutAction}
        time={time}
        markRead={markReadAction.bind(null, { tenant: tenant.slug, environment })}
        find={findObjectsAction.bind(null, { tenant: tenant.slug, environment })}
        notices={
          needsVerification || suspended > 0 ? (
            <>
              {needsVerification ? (
                <VerifyAddressNotice email={user.email} resend={resendEmailVerificationAction} />
              ) : null}
              {suspended > 0 ? (
                <SuspendedNotice count={suspended} href={`${base}/settings/access-review`} />
              ) : null}
            </>
          ) : null
        }
      >
        {children}
      </Shell>
    </ProofProvider>
  );
}
