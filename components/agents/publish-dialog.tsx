"use client";

import { useRouter } from "next/navigation";
import type { ReactNode } from "react";
import { ConfirmDialog } from "@/components/shell/confirm-dialog";
import { Button } from "@/components/ui/button";
import { useHasUnsavedChanges } from "@/components/ui/unsaved-changes";
import type { Environment } from "@/prisma/generated/enums";
import type { DecideOnDraft } from "./action-types";
import { draftFormId } from "./draft-form";

type Props = {
  environment: Environment;
  name: string;
  nextVersion: number;
  /** The `updatedAt` of the draft whose changes are the children. */
  seen: string;
  publish: DecideOnDraft;
  children: ReactNode;
};

/**
 * Publishes the very changes that it shows. A draft that has changed in the meantime is shown anew
 * instead.
 */
export function PublishDialog({ environment, name, nextVersion, seen, publish, children }: Props) {
  const router = useRouter();
  const hasUnsaved = useHasUnsavedChanges();
  return (
    <ConfirmDialog
      trigger="Publish…"
      variant="primary"
      title={`Publish “${name}” as version ${nextVersion}?`}
      environment={environment}
      isWide
      confirm={`Publish version ${nextVersion}`}
      confirmVariant="primary"
      pending="Publishing…"
      obstacle={
        hasUnsaved ? (
          <div className="space-y-2">
            <p>
              What you typed in the form is not saved, so it would not be published. Save it, then
              look at what will be published.
            </p>
            <Button type="submit" form={draftFormId} variant="secondary" size="small">
              Save the draft
            </Button>
          </div>
        ) : null
      }
      act={() => publish(seen)}
      done={`Version ${nextVersion} is published.`}
      onRefused={({ errors }) => {
        if (!errors.updatedAt) return;
        router.refresh();
        return "The draft has changed since you looked at it, so nothing was published. Below is what would be published now.";
      }}
    >
      {children}
    </ConfirmDialog>
  );
}
