"use client";

import { Send } from "lucide-react";
import { useRouter } from "next/navigation";
import { useTransition } from "react";
import { toast } from "sonner";
import { Button } from "@/components/ui/button";
import type { ActionResult } from "@/lib/platform/action-result";

type TestButtonProps = {
  /** The webhook's page. It shows the test named by its parameter `test`. */
  path: string;
  sendTest: () => Promise<ActionResult<{ id: string }>>;
};

/** Sends `webhook.test` to this webhook only. Its page shows the result. */
export function TestButton({ path, sendTest }: TestButtonProps) {
  const router = useRouter();
  const [isPending, startTransition] = useTransition();

  function send() {
    startTransition(async () => {
      const result = await sendTest();
      if (result.outcome === "refused") toast.error(result.message);
      else router.push(`${path}?test=${result.value.id}`, { scroll: false });
    });
  }

  return (
    <Button
      onClick={isPending ? undefined : send}
      aria-disabled={isPending}
      className="aria-disabled:opacity-60"
    >
      <Send className="size-4" aria-hidden="true" />
      {isPending ? "Sending…" : "Send test event"}
    </Button>
  );
}
