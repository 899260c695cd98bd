"use client";

import { useRouter } from "next/navigation";
import type { ReactNode } from "react";
import { focusNextHeading } from "@/components/ui/arrival-heading";
import type { ActionResult, ProofRequest } from "@/lib/platform/action-result";
import type { Environment } from "@/prisma/generated/enums";
import { ConfirmDialog } from "./confirm-dialog";

type DeleteDialogProps = {
  /** The button that opens it. */
  trigger?: string;
  label?: string;
  size?: "normal" | "small";
  /** The question. */
  title: string;
  environment: Environment;
  confirm: string;
  pending?: string;
  remove: () => Promise<ActionResult<unknown> | ProofRequest>;
  done: string;
  /** The page to open afterwards, if the current page is of what was deleted. */
  goTo?: string;
  /** The consequences. */
  children: ReactNode;
};

/** Asks before something is deleted for good. */
export function DeleteDialog({
  trigger = "Delete…",
  pending = "Deleting…",
  remove,
  goTo,
  ...rest
}: DeleteDialogProps) {
  const router = useRouter();
  return (
    <ConfirmDialog
      trigger={trigger}
      pending={pending}
      act={remove}
      onDone={() => {
        if (!goTo) return;
        focusNextHeading();
        router.push(goTo);
      }}
      {...rest}
    />
  );
}
