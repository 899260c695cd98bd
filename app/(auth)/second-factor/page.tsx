import { signOutAction } from "@/app/(auth)/actions";
import { proofMethods } from "@/app/(dashboard)/proof-methods";
import { secondFactorPanel } from "@/app/(dashboard)/second-factor";
import { VerifyAddressNotice } from "@/components/access-review/verify-address-notice";
import { ProofProvider } from "@/components/shell/proof-dialog";
import { ButtonLink } from "@/components/ui/button";
import { SubmitButton } from "@/components/ui/submit-button";
import { requireUser } from "@/lib/auth/require-user";
import { returnPath } from "@/lib/auth/return-path";
import { mailTransport } from "@/lib/mail/mail-transport";
import { Heading } from "../heading";
import { resendEmailVerificationAction } from "../verify/actions";

export const metadata = { title: "Second factor" };

type Props = { searchParams: Promise<{ callbackUrl?: string | string[] }> };

/** Members of an organization that requires a second factor are sent here until they have one. */
export default async function SecondFactorPage({ searchParams }: Props) {
  const user = await requireUser();
  const [{ callbackUrl }, panel, methods] = await Promise.all([
    searchParams,
    secondFactorPanel(user, new Date()),
    proofMethods(user),
  ]);
  const requiring = user.memberships
    .filter(({ tenant }) => tenant.requiresSecondFactor)
    .map(({ tenant }) => tenant.name);
  return (
    <ProofProvider {...methods}>
      <div className="space-y-5">
        <Heading title="Set up a second factor">
          {requiring.length > 0
            ? `${requiring.join(", ")} ${requiring.length === 1 ? "requires" : "require"} one. `
            : ""}
          Add a passkey or an authenticator app.
        </Heading>
        {mailTransport() === "smtp" && !user.isEmailVerified ? (
          <VerifyAddressNotice email={user.email} resend={resendEmailVerificationAction} />
        ) : null}
        {panel}
        {user.hasSecondFactor ? (
          <ButtonLink href={returnPath(callbackUrl)} className="w-full">
            Continue
          </ButtonLink>
        ) : null}
        <form action={signOutAction}>
          <SubmitButton variant="quiet" pending="Signing out…" className="w-full">
            Sign out
          </SubmitButton>
        </form>
      </div>
    </ProofProvider>
  );
}
