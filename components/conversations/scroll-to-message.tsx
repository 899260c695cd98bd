"use client";

import { usePathname, useRouter, useSearchParams } from "next/navigation";
import { useEffect, useRef, useState } from "react";

const messageHash = /^#msg_[0-9A-Z]{26}$/;

/**
 * The hash of the URL can name a message that is not rendered. Servers never see the hash, so it is
 * copied to the query. The browser itself only scrolls to elements that exist when the page loads.
 */
export function ScrollToMessage() {
  const router = useRouter();
  const path = usePathname();
  const query = useSearchParams();
  const [hash, setHash] = useState("");
  // Requested once: the page may refresh while the message is still loading.
  const asked = useRef("");

  useEffect(() => {
    const follow = () => setHash(window.location.hash);
    follow();
    window.addEventListener("hashchange", follow);
    return () => window.removeEventListener("hashchange", follow);
  }, []);

  useEffect(() => {
    if (!messageHash.test(hash)) return;
    const id = hash.slice(1);
    const found = document.getElementById(id);
    if (found) {
      for (const earlier of document.querySelectorAll("[data-found]"))
        earlier.removeAttribute("data-found");
      found.dataset.found = "";
      found.scrollIntoView({ block: "center" });
      return;
    }
    if (asked.current === id) return;
    asked.current = id;
    const parameters = new URLSearchParams(query);
    parameters.set("message", id);
    router.replace(`${path}?${parameters}${hash}`, { scroll: false });
  }, [router, path, query, hash]);

  return null;
}
