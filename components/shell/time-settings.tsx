"use client";

import { useRouter } from "next/navigation";
import { useEffect } from "react";
import { MenuButton } from "@/components/ui/menu";
import { timeCookies } from "./time-cookies";

const yearSeconds = 31_536_000;

const setCookie = (name: string, value: string | null) => {
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing on pages without https.
  document.cookie = `${name}=${encodeURIComponent(value ?? "")}; path=/; samesite=lax; max-age=${value === null ? 0 : yearSeconds}`;
};

export type TimeSettings = { browserZone: string | null; isUtc: boolean; isExact: boolean };

/** Stores the browser's time zone in a cookie, on the first visit and when it changes. */
export function ReportTimeZone({ browserZone, isUtc }: TimeSettings) {
  const router = useRouter();
  useEffect(() => {
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
    if (!timeZone || timeZone === browserZone) return;
    setCookie(timeCookies.zone, timeZone);
    // Without the cookie, times are in UTC.
    if (!isUtc && (browserZone !== null || timeZone !== "UTC")) router.refresh();
  }, [browserZone, isUtc, router]);
  return null;
}

/** Entries of the account menu. */
export function TimeMenu({ browserZone, isUtc, isExact }: TimeSettings) {
  const router = useRouter();
  const turn = (name: string, isOn: boolean) => {
    setCookie(name, isOn ? "1" : null);
    router.refresh();
  };
  return (
    <>
      <MenuButton onClick={() => turn(timeCookies.isUtc, !isUtc)}>
        {isUtc ? `Show times in ${browserZone ?? "my time zone"}` : "Show times in UTC"}
      </MenuButton>
      <MenuButton onClick={() => turn(timeCookies.isExact, !isExact)}>
        {isExact ? "Show relative times" : "Show exact times"}
      </MenuButton>
    </>
  );
}
