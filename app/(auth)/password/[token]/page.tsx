import { ButtonLink } from "@/components/ui/button";
import { findPasswordReset } from "@/lib/auth/password-reset";
import { minimumPasswordLength } from "@/lib/users/schema";
import { Frame } from "../../frame";
import { ResetForm } from "./reset-form";

// The URL of this page is a secret, so it is not sent to any other page.
export const metadata = { title: "New password", referrer: "no-referrer" };

export default async function NewPasswordPage({ params }: { params: Promise<{ token: string }> }) {
  const { token } = await params;
  const reset = await findPasswordReset(token);
  if (reset)
    return (
      <ResetForm token={token} email={reset.email} minimumPasswordLength={minimumPasswordLength} />
    );
  return (
    <Frame
      title="This link is no longer valid"
      action={
        <ButtonLink href="/password" className="w-full">
          Request a new link
        </ButtonLink>
      }
    >
      It was already used, a newer link was used instead, or it expired after an hour.
    </Frame>
  );
}
