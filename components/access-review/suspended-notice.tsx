"use client";

import { usePathname } from "next/navigation";
import { Link } from "@/components/ui/link";
import { Notice } from "@/components/ui/notice";

/** Hidden on the page it links to, which shows the same in full. */
export function SuspendedNotice({ count, href }: { count: number; href: string }) {
  if (usePathname() === href) return null;
  return (
    <Notice variant="warn" role="note">
      <p className="font-semibold">
        {count === 1
          ? "Access is suspended in one place"
          : `Access is suspended in ${count} places`}
      </p>
      <p>
        A user added API keys, webhooks, alerts, invitations or members before confirming their
        email address.{" "}
        <Link href={href} className="font-medium underline underline-offset-2">
          Review access
        </Link>
      </p>
    </Notice>
  );
}
