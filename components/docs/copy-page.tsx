"use client";

import { Check, Copy } from "lucide-react";
import { useState } from "react";
import { Button } from "@/components/ui/button";
import { copyText } from "@/components/ui/copy";

/** Copies the page as Markdown, to paste it into a chat or an editor. */
export function CopyPage({ markdownPath }: { markdownPath: string }) {
  const [state, setState] = useState<"idle" | "copied" | "failed">("idle");

  async function copy() {
    const isCopied = await fetch(markdownPath)
      .then((response) => (response.ok ? response.text() : Promise.reject(response.status)))
      .then(copyText, () => false);
    setState(isCopied ? "copied" : "failed");
    setTimeout(() => setState("idle"), 2_000);
  }

  const Icon = state === "copied" ? Check : Copy;
  return (
    <Button variant="secondary" size="small" onClick={copy}>
      <Icon className="size-4" aria-hidden="true" />
      <span aria-live="polite">
        {
          { idle: "Copy as Markdown", copied: "Copied", failed: "Could not copy. Try again." }[
            state
          ]
        }
      </span>
    </Button>
  );
}
