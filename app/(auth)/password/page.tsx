import Link from "next/link";
import { connection } from "next/server";
import { mailPagePath, mailTransport } from "@/lib/mail/mail-transport";
import { Heading } from "../heading";
import { RequestForm } from "./request-form";

export const metadata = { title: "Reset password" };

type Props = { searchParams: Promise<{ reversed?: string | string[] }> };

export default async function ForgottenPasswordPage({ searchParams }: Props) {
  // Rendered for each request: the configuration is not known when the pages are built.
  await connection();
  const { reversed } = await searchParams;
  const way = mailTransport();
  if (way !== "none")
    return (
      <RequestForm
        mailPage={way === "page" ? mailPagePath : null}
        isAddressRestored={reversed !== undefined}
      />
    );
  return (
    <div className="space-y-5">
      <Heading title="Set a new password">
        This installation does not send email. Its operator can create a password reset link for you
        on the command line:
      </Heading>
      <pre className="whitespace-pre-wrap break-words rounded-lg border border-line bg-sunken px-3 py-2 font-mono text-xs">
        npm run admin -- user:reset-password --email you@example.com
      </pre>
      <Link href="/login" className="font-medium text-accent underline underline-offset-2">
        Back to sign in
      </Link>
    </div>
  );
}
