import { redirect } from "next/navigation";
import { ButtonLink } from "@/components/ui/button";
import { Notice } from "@/components/ui/notice";
import { providerChoices } from "@/lib/auth/providers";
import { currentUser } from "@/lib/auth/require-user";
import { returnPath } from "@/lib/auth/return-path";
import { findPendingSignIn } from "@/lib/auth/second-step";
import { readPendingSignIn, readSessionId } from "@/lib/auth/session-cookie";
import { passkeySite } from "@/lib/second-factor/passkeys";
import { CodeForm } from "./code-form";
import { SignInForm } from "./sign-in-form";

export const metadata = { title: "Sign in" };

type Props = {
  searchParams: Promise<{ callbackUrl?: string | string[]; error?: string | string[] }>;
};

export default async function LoginPage({ searchParams }: Props) {
  const { callbackUrl, error } = await searchParams;
  const target = returnPath(callbackUrl);
  const message = error ? messageOf(String(error)) : undefined;
  const user = await currentUser();
  if (user && !message) redirect(target);
  const pending = user ? null : await findPendingSignIn(await readPendingSignIn());
  const canUsePasskey = passkeySite() !== null;
  if (pending)
    return (
      <CodeForm
        callbackUrl={target}
        email={pending.user.email}
        message={error === "SecondFactor" ? undefined : message}
        canUsePasskey={canUsePasskey}
      />
    );
  if (!user)
    return (
      <SignInForm
        callbackUrl={target}
        message={message ?? ((await readSessionId()) ? endedSession : undefined)}
        providers={providerChoices()}
        canUsePasskey={canUsePasskey}
      />
    );
  return (
    <div className="space-y-5">
      <h1 className="font-semibold text-2xl tracking-tight">Identity not confirmed</h1>
      <Notice>{message}</Notice>
      <p className="break-words text-muted">You are still signed in as {user.email}.</p>
      <ButtonLink href={target} className="w-full">
        Continue
      </ButtonLink>
    </div>
  );
}

/** Signing out deletes the cookie. A browser that still has it was signed out from elsewhere. */
const endedSession = "Your session has ended. Sign in again.";

/** By the error code that next-auth or lib/auth/provider-sign-in.ts puts in the URL. */
const messages: Record<string, string> = {
  CredentialsSignin: "The email address or password is incorrect.",
  TooManyAttempts: "Too many failed attempts. Try again in a few minutes.",
  TooManyAccounts: "Too many accounts were created from this network. Try again in 15 minutes.",
  AccountChanged: "Your account changed while you signed in. Sign in again.",
  AddressReserved:
    "The account with this address got another one a few days ago. Sign in with that one. If you did not change it, use the link in our mail about the change.",
  EmailUnverified:
    "That GitHub or Google account has no verified email address. Verify it there, then try again.",
  OtherAccount:
    "That GitHub or Google account belongs to a different user. Sign out first to sign in with it.",
  Callback:
    "Signing in with GitHub or Google was canceled or denied. Try again, or sign in another way.",
  OAuthSignin:
    "GitHub or Google could not be reached. Try again in a moment, or sign in another way.",
  OAuthCallback:
    "Signing in with GitHub or Google took too long, or their response was invalid. Try again.",
  SecondFactor: "Entering the code took too long. Sign in again.",
  SecondFactorOver: "Entering the code took too long. Sign in again.",
  Default: "Sign-in failed. Try again.",
};

const messageOf = (code: string) =>
  Object.hasOwn(messages, code) ? messages[code] : messages.Default;
