"use client";

import { EnvironmentName } from "@/components/shell/environment-name";
import { SecretDialog } from "@/components/shell/secret-dialog";

/**
 * Where no mail is sent, whoever invites passes the link on.
 * @param mailPage where mails can be read instead, if anywhere
 */
export function InvitationLink({
  link,
  mailPage,
  onClosed,
}: {
  link: string;
  mailPage: string | null;
  onClosed: () => void;
}) {
  return (
    <SecretDialog
      title="Pass this link on"
      description={
        <>
          Members work in <EnvironmentName environment="test" /> and in{" "}
          <EnvironmentName environment="live" />.
        </>
      }
      name="link"
      secret={link}
      note="No mail server is configured, so nobody was mailed. Give this link to the one you invite, and to nobody else. It works once, within seven days."
      onClosed={onClosed}
    >
      {() =>
        mailPage ? (
          <p className="text-muted">
            You can read the mail itself at <code className="font-mono text-xs">{mailPage}</code>.{" "}
            <code>npm start</code> prints the full address of that page.
          </p>
        ) : null
      }
    </SecretDialog>
  );
}
