"use client";

import { useEffect, useState } from "react";
import { Button } from "@/components/ui/button";
import { type PopUps, readPopUps, turnPopUpsOff, turnPopUpsOn } from "./pop-ups";

const sentences: Record<PopUps, string> = {
  unsupported: "This browser cannot show notifications.",
  blocked:
    "This browser blocks notifications of this site. Allow them in the browser’s settings for this site, then reload the page.",
  off: "Your browser can show assignments and mentions while Parlance is open in a tab.",
  on: "This browser shows assignments and mentions while Parlance is open in a tab.",
};

export function PopUpsPanel() {
  // Known only in the browser, so not on the server.
  const [state, setState] = useState<PopUps>("off");
  useEffect(() => setState(readPopUps()), []);

  async function toggle() {
    if (state === "on") turnPopUpsOff();
    else await turnPopUpsOn();
    setState(readPopUps());
  }

  return (
    <div className="space-y-3">
      <p className="max-w-prose text-muted">{sentences[state]}</p>
      {state === "on" || state === "off" ? (
        <Button variant="secondary" onClick={() => void toggle()}>
          {state === "on" ? "Turn off in this browser" : "Turn on in this browser"}
        </Button>
      ) : null}
    </div>
  );
}
