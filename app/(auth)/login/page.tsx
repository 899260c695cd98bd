import { redirect } from "next/navigation";
import { currentUser } from "@/lib/auth/require-user";
import { returnPath } from "@/lib/auth/return-path";
import { SignInForm } from "./sign-in-form";

export const metadata = { title: "Sign in" };

type Props = { searchParams: Promise<{ callbackUrl?: string | string[]; error?: string | string[] }> };

export default async function LoginPage({ searchParams }: Props) {
  const { callbackUrl, error } = await searchParams;
  const target = returnPath(callbackUrl);
  if (await currentUser()) redirect(target);

  return <SignInForm callbackUrl={target} message={error ? (messages[String(error)] ?? messages.Default) : undefined} />;
}

/** What next-auth says in the address when its own form was used. */
const messages: Record<string, string> = {
  CredentialsSignin: "The e-mail address or the password is not right.",
  TooManyAttempts: "Too many failed attempts. Try again in some minutes.",
  Default: "Signing in did not work. Try again.",
};
