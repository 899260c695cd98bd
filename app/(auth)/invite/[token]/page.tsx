import { ProviderButtons } from "@/components/profile/provider-buttons";
import { ButtonLink } from "@/components/ui/button";
import { providerChoices } from "@/lib/auth/providers";
import { currentUser } from "@/lib/auth/require-user";
import { findInvitation, invitationIsOver } from "@/lib/members/accept-invitation";
import { roleNames } from "@/lib/platform/roles";
import { minimumPasswordLength } from "@/lib/users/schema";
import { Frame } from "../../frame";
import { LinkForm } from "../../link-form";
import { acceptAction, signOutToAcceptAction } from "../actions";
import { NewUserForm } from "./new-user-form";

// The URL of this page is a secret, so it is not sent to any other page.
export const metadata = { title: "Invitation", referrer: "no-referrer" };

export default async function InvitationPage({ params }: { params: Promise<{ token: string }> }) {
  const { token } = await params;
  const [invitation, user] = await Promise.all([findInvitation(token), currentUser()]);
  if (!invitation) {
    return (
      <Frame
        title="This invitation is no longer valid"
        action={<ButtonLink href="/">Go to the dashboard</ButtonLink>}
      >
        {invitationIsOver}
      </Frame>
    );
  }

  const { organization, email, role, invitedBy, hasAccount } = invitation;
  const title = `Join ${organization}`;
  const sentence = `${invitedBy ?? "An operator"} invited ${email} to join ${organization} as ${roleNames[role]}.`;
  if (user?.email === email) {
    return (
      <Frame
        title={title}
        action={<LinkForm send={acceptAction.bind(null, token)} label={title} pending="Joining…" />}
      >
        {sentence}
      </Frame>
    );
  }
  if (user) {
    return (
      <Frame
        // Signing out replaces it with a page of the same title.
        key={user.id}
        title={title}
        action={
          <LinkForm
            send={signOutToAcceptAction.bind(null, token)}
            label="Sign out and continue"
            pending="Signing out…"
          />
        }
      >
        {sentence} You’re signed in as {user.email}. To accept, sign in as {email} instead.
      </Frame>
    );
  }
  if (hasAccount) {
    return (
      <Frame
        title={title}
        action={
          <ButtonLink
            href={`/login?callbackUrl=${encodeURIComponent(`/invite/${token}`)}`}
            className="w-full"
          >
            Sign in to accept
          </ButtonLink>
        }
      >
        {sentence} You already have an account.
      </Frame>
    );
  }
  return (
    <Frame
      title={title}
      action={
        <>
          <ProviderButtons providers={providerChoices()} callbackUrl={`/invite/${token}`} />
          <NewUserForm token={token} email={email} minimumPasswordLength={minimumPasswordLength} />
        </>
      }
    >
      {sentence} Create an account to accept.
    </Frame>
  );
}
