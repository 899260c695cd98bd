"use client";

import { ChevronDown, Send } from "lucide-react";
import { useRouter } from "next/navigation";
import { useTransition } from "react";
import { Button, buttonClass } from "@/components/ui/button";
import { Menu, MenuButton } from "@/components/ui/menu";
import { toast } from "@/components/ui/toast";
import type { ActionResult } from "@/lib/platform/action-result";

type TestButtonProps = {
  /** The webhook's page. It shows the test named by its parameter `test`. */
  path: string;
  /** Sends `webhook.test`, unless another type is given. */
  sendTest: (type?: string) => Promise<ActionResult<{ id: string }>>;
  /** The types to choose from, in a menu next to the button. */
  types?: readonly string[];
};

/** Sends a test event to this webhook only. Its page shows the result. */
export function TestButton({ path, sendTest, types = [] }: TestButtonProps) {
  const router = useRouter();
  const [isPending, startTransition] = useTransition();

  function send(type?: string) {
    if (isPending) return;
    startTransition(async () => {
      const result = await sendTest(type);
      if (result.outcome === "refused") toast.error(result.message);
      else router.push(`${path}?test=${result.value.id}`, { scroll: false });
    });
  }

  return (
    <div className="flex gap-px">
      <Button
        onClick={() => send()}
        disabled={isPending}
        className={types.length > 0 ? "rounded-r-none" : ""}
      >
        <Send className="size-4" aria-hidden="true" />
        {isPending ? "Sending…" : "Send test event"}
      </Button>
      {types.length > 0 ? (
        <Menu
          label="Choose the type of the test event"
          trigger={<ChevronDown className="size-4" aria-hidden="true" />}
          className={buttonClass({ size: "icon", className: "rounded-l-none" })}
        >
          <p className="px-2.5 py-1.5 text-muted text-xs">Send the example of</p>
          {types.map((type) => (
            <MenuButton key={type} onClick={() => send(type)}>
              <span className="font-mono text-xs">{type}</span>
            </MenuButton>
          ))}
        </Menu>
      ) : null}
    </div>
  );
}
