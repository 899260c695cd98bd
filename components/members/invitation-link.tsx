import { CopyBlock } from "@/components/ui/copy";
import { Notice } from "@/components/ui/notice";

/** Where no mail is sent. */
export function InvitationLink({ link }: { link: string }) {
  return (
    <div className="space-y-3">
      <Notice look="warn">
        No mail server is configured, so nobody is mailed. Give this link to the one you invite, and to nobody else.
      </Notice>
      <CopyBlock label="Copy the link" text={link} />
      <p className="text-muted">It works once, within seven days, and is not shown again.</p>
    </div>
  );
}
