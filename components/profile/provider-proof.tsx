"use client";

import { useEffect, useEffectEvent, useState } from "react";
import { Button } from "@/components/ui/button";
import { Notice } from "@/components/ui/notice";
import type { ProviderChoice } from "@/lib/auth/providers";
import { listenForProof } from "./proof-broadcast";
import { ProviderLogo } from "./provider-logo";
import { startProviderSignIn } from "./start-provider-sign-in";

/**
 * Signs in again in a separate window, so that this page keeps its input.
 * @param prove called once it is done; the server still checks the proof
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
    // Before any await: browsers open windows only while they handle a click.
    const opened = window.open("", "_blank", "popup,width=520,height=720");
    setIsRefused(!opened);
    if (!opened) return;
    // The other window must not be able to control this page.
    opened.opener = null;
    opened.location.assign(await startProviderSignIn(provider, "/confirmed", { isAgain: true }));
  }

  return (
    <div className="space-y-3">
      {isRefused ? (
        <Notice>Your browser blocked the window. Allow pop-ups for this page and try again.</Notice>
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
