import { redirect } from "next/navigation";
import { ButtonLink } from "@/components/ui/button";
import { Notice } from "@/components/ui/notice";
import { providerChoices } from "@/lib/auth/providers";
import { currentUser } from "@/lib/auth/require-user";
import { returnPath } from "@/lib/auth/return-path";
import { SignInForm } from "./sign-in-form";

export const metadata = { title: "Sign in" };

type Props = {
  searchParams: Promise<{ callbackUrl?: string | string[]; error?: string | string[] }>;
};

export default async function LoginPage({ searchParams }: Props) {
  const { callbackUrl, error } = await searchParams;
  const target = returnPath(callbackUrl);
  const message = error ? (messages[String(error)] ?? messages.Default) : undefined;
  const user = await currentUser();
  if (user && !message) redirect(target);
  if (!user)
    return <SignInForm callbackUrl={target} message={message} providers={providerChoices()} />;
  return (
    <div className="space-y-5">
      <h1 className="font-semibold text-2xl tracking-tight">It was not confirmed</h1>
      <Notice>{message}</Notice>
      <p className="break-words text-muted">You are still signed in as {user.email}.</p>
      <ButtonLink href={target} className="w-full">
        Go on
      </ButtonLink>
    </div>
  );
}

/** By what next-auth, or lib/auth/provider-sign-in.ts, says in the address. */
const messages: Record<string, string> = {
  CredentialsSignin: "The e-mail address or the password is not right.",
  TooManyAttempts: "Too many failed attempts. Try again in some minutes.",
  TooManyAccounts: "Too many accounts were made from here. Try again in 15 minutes.",
  EmailUnverified:
    "That GitHub or Google account has no verified e-mail address. Verify its address there, then try again.",
  OtherAccount:
    "That GitHub or Google account is not the one of whoever is signed in here. Sign out first to sign in with it.",
  Callback:
    "Signing in with GitHub or Google was broken off or refused there. Try again, or sign in in another way.",
  OAuthSignin:
    "GitHub or Google could not be reached. Try again in a moment, or sign in in another way.",
  OAuthCallback:
    "Signing in with GitHub or Google took too long, or they did not answer as they should. Try again.",
  Default: "Signing in did not work. Try again.",
};
