"use client";

import { RotateCw } from "lucide-react";
import { useTransition } from "react";
import { Button } from "@/components/ui/button";
import { toast } from "@/components/ui/toast";
import type { RetryDocument } from "./action-types";

type Props = { name: string; retry: RetryDocument; size?: "normal" | "small" };

/** Processes a document again. Its file is stored, so nothing is uploaded. */
export function RetryButton({ name, retry, size }: Props) {
  const [isPending, startTransition] = useTransition();

  const run = () =>
    startTransition(async () => {
      const result = await retry();
      if (result.outcome === "refused") toast.error(result.message);
      else toast.success(`Processing “${name}” again.`);
    });

  return (
    <Button
      variant="secondary"
      size={size}
      onClick={run}
      disabled={isPending}
      aria-label={`Retry ${name}`}
    >
      <RotateCw className="size-3.5" aria-hidden="true" />
      {isPending ? "Retrying…" : "Retry"}
    </Button>
  );
}
