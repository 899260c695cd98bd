"use client";

import { useRouter } from "next/navigation";
import { ConfirmDialog } from "@/components/shell/confirm-dialog";
import { focusNextHeading } from "@/components/ui/arrival-heading";
import type { Environment } from "@/prisma/generated/enums";
import type { DeleteDocument } from "./action-types";

type Props = {
  name: string;
  environment: Environment;
  /** The amount of text, in words. */
  documentSize: string;
  remove: DeleteDocument;
  /** The page to open after the deletion, if the current page is the document's. */
  goTo?: string;
  size?: "normal" | "small";
};

export function DeleteDocumentDialog({
  name,
  environment,
  documentSize,
  remove,
  goTo,
  size = "normal",
}: Props) {
  const router = useRouter();
  return (
    <ConfirmDialog
      trigger="Delete…"
      label={`Delete ${name}`}
      size={size}
      title={`Delete “${name}”?`}
      environment={environment}
      confirm="Delete document"
      pending="Deleting…"
      act={remove}
      done={`“${name}” deleted.`}
      onDone={() => {
        if (!goTo) return;
        focusNextHeading();
        router.push(goTo);
      }}
    >
      <p>
        This deletes its file and its text ({documentSize}). Searches and agents no longer find it.
        This cannot be undone, but you can upload it again.
      </p>
    </ConfirmDialog>
  );
}
