"use client";

import { useRouter } from "next/navigation";
import { useEffect } from "react";

/** Opens the page of an operation that an earlier version had on this page: `#createWebhook`. */
export function OldAnchors({ pages }: { pages: Record<string, string> }) {
  const router = useRouter();
  useEffect(() => {
    const follow = () => {
      const anchor = location.hash.slice(1);
      const page = Object.hasOwn(pages, anchor) ? pages[anchor] : undefined;
      if (page) router.replace(page);
    };
    follow();
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, [pages, router]);
  return null;
}
