import { redirect } from "next/navigation";
import { providerChoices } from "@/lib/auth/providers";
import { currentUser } from "@/lib/auth/require-user";
import { minimumPasswordLength } from "@/lib/users/schema";
import { SignUpForm } from "./sign-up-form";

export const metadata = { title: "Sign up" };

export default async function SignUpPage() {
  if (await currentUser()) redirect("/");
  return <SignUpForm minimumPasswordLength={minimumPasswordLength} providers={providerChoices()} />;
}
