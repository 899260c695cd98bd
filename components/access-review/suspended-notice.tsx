import Link from "next/link";
import { Notice } from "@/components/ui/notice";

export function SuspendedNotice({ count, href }: { count: number; href: string }) {
  return (
    <Notice look="warn" role="note">
      <p className="font-semibold">{count === 1 ? "Access is suspended in one place" : `Access is suspended in ${count} places`}</p>
      <p>
        API keys, webhooks, invitations or members were added by a user before their email address was confirmed.{" "}
        <Link href={href} className="font-medium underline underline-offset-2">
          Review access
        </Link>
      </p>
    </Notice>
  );
}
