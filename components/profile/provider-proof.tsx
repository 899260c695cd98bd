"use client";

import { useEffect, useEffectEvent, useState } from "react";
import { Button } from "@/components/ui/button";
import { Notice } from "@/components/ui/notice";
import type { ProviderChoice } from "@/lib/auth/providers";
import { listenForProof } from "./proof-broadcast";
import { ProviderLogo } from "./provider-logo";
import { startProviderSignIn } from "./start-provider-sign-in";

/**
 * Signing in again, in a window of its own, so that this page keeps what was filled in.
 * @param prove called once it is done; the server still looks whether it is so
 */
export function ProviderProof({
  providers,
  prove,
}: {
  providers: ProviderChoice[];
  prove: () => void;
}) {
  const [isRefused, setIsRefused] = useState(false);
  const heard = useEffectEvent(prove);
  useEffect(() => listenForProof(() => heard()), []);

  async function open(provider: ProviderChoice) {
    // At once: browsers open windows only while a click is being answered.
    const opened = window.open("", "_blank", "popup,width=520,height=720");
    setIsRefused(!opened);
    if (!opened) return;
    // Whatever is shown there has no hold on this page.
    opened.opener = null;
    opened.location.assign(await startProviderSignIn(provider, "/confirmed", { isAgain: true }));
  }

  return (
    <div className="space-y-3">
      {isRefused ? (
        <Notice>Your browser opened no window. Allow this page to do so, and try again.</Notice>
      ) : null}
      {providers.map((provider) => (
        <Button
          key={provider.id}
          variant="secondary"
          className="w-full"
          onClick={() => open(provider)}
        >
          <ProviderLogo id={provider.id} />
          {`Continue with ${provider.name}`}
        </Button>
      ))}
    </div>
  );
}
