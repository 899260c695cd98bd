"use client";

import { useState } from "react";
import { Button, ButtonLink } from "@/components/ui/button";
import { secondFactorLaterCookie } from "./second-factor-cookie";

const laterSeconds = 90 * 86_400;

/** For users without a second factor. It is hidden for three months when they ask for that. */
export function SecondFactorHint({ href }: { href: string }) {
  const [isHidden, setIsHidden] = useState(false);
  if (isHidden) return null;

  function hide() {
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing on pages without https.
    document.cookie = `${secondFactorLaterCookie}=1; path=/; samesite=lax; max-age=${laterSeconds}`;
    setIsHidden(true);
  }

  return (
    <section
      aria-label="Second factor"
      className="mb-6 flex print:hidden flex-wrap items-center justify-between gap-x-6 gap-y-3 rounded-2xl border border-line bg-surface px-5 py-4"
    >
      <p className="max-w-prose">
        Protect your account with a passkey or an authenticator app. Then no one can sign in with
        your password alone.
      </p>
      <div className="flex flex-wrap gap-2">
        <Button variant="quiet" onClick={hide}>
          Not now
        </Button>
        <ButtonLink variant="secondary" href={href}>
          Add second factor
        </ButtonLink>
      </div>
    </section>
  );
}
