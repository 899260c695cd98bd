import { ButtonLink } from "@/components/ui/button";
import { findPasswordReset } from "@/lib/auth/password-reset";
import { minimumPasswordLength } from "@/lib/users/schema";
import { ResetForm } from "./reset-form";

// The address of this page is a secret, so no other page is told it.
export const metadata = { title: "New password", referrer: "no-referrer" };

export default async function NewPasswordPage({ params }: { params: Promise<{ token: string }> }) {
  const { token } = await params;
  const reset = await findPasswordReset(token);
  if (reset)
    return (
      <ResetForm token={token} email={reset.email} minimumPasswordLength={minimumPasswordLength} />
    );
  return (
    <div className="space-y-5">
      <h1 className="font-semibold text-2xl tracking-tight">This link is over</h1>
      <p className="text-muted">It was used already, or a newer one was, or its hour is over.</p>
      <ButtonLink href="/password" className="w-full">
        Ask for a new one
      </ButtonLink>
    </div>
  );
}
