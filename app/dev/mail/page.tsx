import { headers } from "next/headers";
import { notFound } from "next/navigation";
import { Wordmark } from "@/components/shell/wordmark";
import { Time } from "@/components/ui/time";
import { isMailPageOpenTo } from "@/lib/mail/mail-transport";
import { listReadableMails } from "@/lib/mail/service";

export const metadata = { title: "Emails" };

type Props = { searchParams: Promise<{ token?: string | string[] }> };

/**
 * Shows the emails that a mail server would have sent, to try the product out on your own machine.
 */
export default async function MailPage({ searchParams }: Props) {
  if (!isMailPageOpenTo(await headers(), (await searchParams).token)) notFound();
  const mails = await listReadableMails();
  const now = new Date();
  return (
    <main className="mx-auto max-w-3xl space-y-6 px-5 py-12">
      <Wordmark />
      <div className="space-y-1">
        <h1 className="font-semibold text-2xl tracking-tight">Emails</h1>
        <p className="max-w-prose text-muted">
          No mail server is configured. Emails appear here instead, visible only to browsers on this
          machine. To send them, set <code className="font-mono text-xs">SMTP_URL</code> and{" "}
          <code className="font-mono text-xs">MAIL_FROM</code>.
        </p>
      </div>
      {mails.length === 0 ? (
        <p className="rounded-2xl border border-line border-dashed bg-surface px-6 py-12 text-center text-muted">
          No emails yet. Invite a member or request a new password to see one.
        </p>
      ) : (
        <ul className="space-y-4">
          {mails.map(({ id, recipient, subject, text, createdAt }) => (
            <li key={id} className="overflow-hidden rounded-2xl border border-line bg-surface">
              <div className="border-line border-b bg-sunken px-5 py-3">
                <h2 className="break-words font-semibold">{subject}</h2>
                <p className="break-all text-muted">
                  To {recipient}, <Time at={createdAt} now={now} />
                </p>
              </div>
              <div className="whitespace-pre-wrap break-words px-5 py-4">
                {text.split(/(https?:\/\/\S+)/).map((part, index) =>
                  index % 2 === 1 ? (
                    <a
                      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never change their order.
                      key={index}
                      href={part}
                      className="break-all text-accent underline underline-offset-2"
                    >
                      {part}
                    </a>
                  ) : (
                    part
                  ),
                )}
              </div>
            </li>
          ))}
        </ul>
      )}
    </main>
  );
}
