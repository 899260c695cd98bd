"use client";

import { Bell as BellIcon } from "lucide-react";
import { usePathname, useRouter } from "next/navigation";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { Link } from "@/components/ui/link";
import { toast } from "@/components/ui/toast";
import type { ActionResult } from "@/lib/platform/action-result";
import { readPopUps, takeNew } from "./pop-ups";
import { announceRead, listenForRead } from "./read-broadcast";

type BellProps = {
  /** `/{tenant}/{environment}` */
  base: string;
  markRead: (page: string) => Promise<ActionResult>;
  /** Of the shell's two bells, the one of narrow screens. The hidden one does nothing. */
  isMobile?: boolean;
  className: string;
};

type Unread = { id: string; page: string; sentence: string };

const everyMs = 30_000;

/**
 * Links to the notifications and counts the unread ones. Opening the page that they lead to, in any
 * way, marks them as read.
 */
export function Bell({ base, markRead, isMobile = false, className }: BellProps) {
  const [unread, setUnread] = useState<Unread[]>([]);
  const path = usePathname();
  const router = useRouter();
  const open = path.slice(base.length + 1);

  const load = useEffectEvent(async () => {
    if (window.matchMedia("(min-width: 48rem)").matches === isMobile) return;
    // Without a response, the bell keeps what it has, and asks again later.
    const response = await fetch(`${base}/notifications/unread`, { cache: "no-store" }).catch(
      () => null,
    );
    if (!response?.ok || response.redirected) return;
    const found = (await response.json()) as Unread[];
    setUnread(found);
    if (readPopUps() !== "on") return;
    popUp(takeNew(window.localStorage, base, found), (page) => router.push(`${base}/${page}`));
  });

  useEffect(() => {
    // A hidden tab asks only if it may show what it finds.
    const isWanted = () => document.visibilityState === "visible" || readPopUps() === "on";
    const tick = () => void (isWanted() && load());
    tick();
    const timer = setInterval(tick, everyMs);
    document.addEventListener("visibilitychange", tick);
    const stopListening = listenForRead(() => void load());
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", tick);
      stopListening();
    };
  }, []);

  const marked = useRef<string>(undefined);
  const isOpenUnread = unread.some(({ page }) => page === open);
  useEffect(() => {
    if (!open || !isOpenUnread || marked.current === open) return;
    marked.current = open;
    void markRead(open).then(announceRead, () => undefined);
    return () => {
      marked.current = undefined;
    };
  }, [open, isOpenUnread, markRead]);

  const count = unread.length;
  return (
    <Link href={`${base}/notifications`} className={className}>
      <span className="relative">
        <BellIcon className="size-4" aria-hidden="true" />
        {count > 0 ? (
          <span className="absolute -top-1 -right-1 size-2 rounded-full bg-accent" />
        ) : null}
      </span>
      <span className="max-md:sr-only">Notifications</span>
      {count > 0 ? (
        <span className="ml-auto text-xs tabular-nums max-md:sr-only">
          {count > 99 ? "99+" : count}
          <span className="sr-only"> unread</span>
        </span>
      ) : null}
    </Link>
  );
}

function popUp(found: Unread[], open: (page: string) => void): void {
  for (const { id, page, sentence } of found.slice(0, 3)) {
    try {
      const notification = new Notification("Parlance", { body: sentence, tag: id });
      notification.onclick = () => {
        window.focus();
        notification.close();
        open(page);
      };
    } catch {
      // Chrome for Android shows them only from a service worker, so the page shows it instead.
      toast.success(sentence, { id, action: { label: "Open", onClick: () => open(page) } });
    }
  }
}
