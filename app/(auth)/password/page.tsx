import Link from "next/link";
import { connection } from "next/server";
import { mailPagePath, mailTransport } from "@/lib/mail/mail-transport";
import { RequestForm } from "./request-form";

export const metadata = { title: "Forgotten password" };

export default async function ForgottenPasswordPage() {
  // Drawn for each visitor: what is configured is not known when the pages are built.
  await connection();
  const way = mailTransport();
  if (way !== "none") return <RequestForm mailPage={way === "page" ? mailPagePath : null} />;
  return (
    <div className="space-y-5">
      <h1 className="font-semibold text-2xl tracking-tight">Set a new password</h1>
      <p className="text-muted">
        No mail is sent from here. Whoever runs this installation can make you a link to a new
        password, on its command line:
      </p>
      <pre className="whitespace-pre-wrap break-words rounded-lg border border-line bg-sunken px-3 py-2 font-mono text-xs">
        npm run admin -- user:reset-password --email you@example.com
      </pre>
      <Link href="/login" className="font-medium text-accent underline underline-offset-2">
        Back to signing in
      </Link>
    </div>
  );
}
