"use client";

import { useRouter } from "next/navigation";
import { useTransition } from "react";
import { Button } from "@/components/ui/button";
import { toast } from "@/components/ui/toast";
import type { ActionResult } from "@/lib/platform/action-result";

type Props = {
  /** Whether the environment has the sample data. */
  isPresent: boolean;
  /** Adds or removes it. */
  change: () => Promise<ActionResult>;
};

/** Adds sample data to an empty test environment, or removes exactly that. */
export function SampleData({ isPresent, change }: Props) {
  const router = useRouter();
  const [isPending, startTransition] = useTransition();

  const run = () =>
    startTransition(async () => {
      const result = await change();
      if (result.outcome === "refused") return toast.error(result.message);
      toast.success(isPresent ? "Sample data removed." : "Sample data added.");
      router.refresh();
    });

  return (
    <section
      aria-label="Sample data"
      className="mb-6 flex print:hidden flex-wrap items-center justify-between gap-x-6 gap-y-3 rounded-2xl border border-line bg-surface px-5 py-4"
    >
      <p className="max-w-prose">
        {isPresent
          ? "This environment has sample customers, conversations, documents and an agent. Removing them deletes nothing of yours."
          : "Look around with sample customers, conversations, documents and an agent. You can remove them with one click."}
      </p>
      <Button variant="secondary" onClick={run} disabled={isPending}>
        {isPresent
          ? isPending
            ? "Removing…"
            : "Remove sample data"
          : isPending
            ? "Adding…"
            : "Add sample data"}
      </Button>
    </section>
  );
}
