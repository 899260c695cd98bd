import Link from "next/link";
import { proofMethods } from "@/app/(dashboard)/proof-methods";
import { DeleteAccountDialog } from "@/components/profile/delete-account-dialog";
import { ProofProvider } from "@/components/shell/proof-dialog";
import { SubmitButton } from "@/components/ui/submit-button";
import { requireUser } from "@/lib/auth/require-user";
import { deleteAccountAction, signOutAction } from "../actions";
import { Heading } from "../heading";
import { OrganizationForm } from "./organization-form";

export const metadata = { title: "Create an organization" };

/**
 * Creates a user's first organization, or another one. A user without any has no other page, so their
 * account can be deleted here.
 */
export default async function WelcomePage() {
  const user = await requireUser();
  const first = user.memberships[0];
  return (
    <div className="space-y-5">
      <Heading title="Create an organization">
        {first
          ? "It has its own members, keys and data. You’ll be its owner."
          : `You’re not a member of any organization yet. Create one, or ask an owner or admin of another one to invite ${user.email}.`}
      </Heading>
      <OrganizationForm />
      {first ? (
        <p className="text-muted">
          <Link
            href={`/${first.tenant.slug}/test`}
            className="wrap-anywhere font-medium text-accent underline underline-offset-2"
          >
            Back to {first.tenant.name}
          </Link>
        </p>
      ) : (
        <>
          <form action={signOutAction}>
            <SubmitButton variant="quiet" pending="Signing out…" className="w-full">
              Sign out
            </SubmitButton>
          </form>
          <ProofProvider {...(await proofMethods(user))}>
            <div className="flex justify-center">
              <DeleteAccountDialog email={user.email} remove={deleteAccountAction} />
            </div>
          </ProofProvider>
        </>
      )}
    </div>
  );
}
