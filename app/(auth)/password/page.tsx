import Link from "next/link";
import { connection } from "next/server";
import { mailPagePath, mailTransport } from "@/lib/mail/mail-transport";
import { RequestForm } from "./request-form";

export const metadata = { title: "Reset password" };

export default async function ForgottenPasswordPage() {
  // Rendered for each request: the configuration is not known when the pages are built.
  await connection();
  const way = mailTransport();
  if (way !== "none") return <RequestForm mailPage={way === "page" ? mailPagePath : null} />;
  return (
    <div className="space-y-5">
      <h1 className="font-semibold text-2xl tracking-tight">Set a new password</h1>
      <p className="text-muted">
        This installation does not send email. Its operator can create a password reset link for you
        on the command line:
      </p>
      <pre className="whitespace-pre-wrap break-words rounded-lg border border-line bg-sunken px-3 py-2 font-mono text-xs">
        npm run admin -- user:reset-password --email you@example.com
      </pre>
      <Link href="/login" className="font-medium text-accent underline underline-offset-2">
        Back to sign in
      </Link>
    </div>
  );
}
