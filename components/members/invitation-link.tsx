"use client";

import { EnvironmentName } from "@/components/shell/environment-name";
import { SecretDialog } from "@/components/shell/secret-dialog";

/**
 * Where no email is sent, the inviter shares the link.
 * @param mailPage the page that shows emails instead, if there is one
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
      title="Share this invitation link"
      description={
        <>
          Members have access to <EnvironmentName environment="test" /> and{" "}
          <EnvironmentName environment="live" />.
        </>
      }
      name="link"
      secret={link}
      note="No mail server is configured, so no email was sent. Share this link only with the person you invite. It works once and expires after seven days."
      onClosed={onClosed}
    >
      {() =>
        mailPage ? (
          <p className="text-muted">
            You can read the email at <code className="font-mono text-xs">{mailPage}</code>.{" "}
            <code>npm start</code> prints the full address of that page.
          </p>
        ) : null
      }
    </SecretDialog>
  );
}
