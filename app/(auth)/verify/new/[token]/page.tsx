import { ButtonLink } from "@/components/ui/button";
import { findEmailChange } from "@/lib/auth/email-change";
import { currentUser } from "@/lib/auth/require-user";
import { Frame } from "../../../frame";
import { LinkForm } from "../../../link-form";
import { confirmEmailChangeAction } from "../../actions";

// The URL of this page is a secret, so it is not sent to any other page.
export const metadata = { title: "Confirm your new email address", referrer: "no-referrer" };

export default async function NewAddressPage({ params }: { params: Promise<{ token: string }> }) {
  const { token } = await params;
  const [change, user] = await Promise.all([findEmailChange(token), currentUser()]);
  if (!change)
    return (
      <Frame
        title="This link is no longer valid"
        action={<ButtonLink href="/">Go to the dashboard</ButtonLink>}
      >
        It was already used, it expired after 24 hours, or another address was requested. Request a
        new link in your profile.
      </Frame>
    );
  const title = "Confirm your new email address";
  if (user?.id !== change.userId)
    return (
      <Frame
        title={title}
        action={
          <ButtonLink
            href={`/login?callbackUrl=${encodeURIComponent(`/verify/new/${token}`)}`}
            className="w-full"
          >
            Sign in to confirm
          </ButtonLink>
        }
      >
        Sign in to the account whose address you want to change. If you did not request this, ignore
        the email: nothing changes.
      </Frame>
    );
  return (
    <Frame
      title={title}
      action={
        <LinkForm
          send={confirmEmailChangeAction.bind(null, token)}
          label="Change address"
          pending="Changing…"
        />
      }
    >
      The address of your account changes from {change.from} to {change.to}. Every other device is
      signed out.
    </Frame>
  );
}
