"use client";

import { useRouter } from "next/navigation";
import type { ReactNode } from "react";
import { ConfirmDialog } from "@/components/shell/confirm-dialog";
import { Button } from "@/components/ui/button";
import { useHasUnsavedChanges } from "@/components/ui/unsaved-changes";
import type { Environment } from "@/prisma/generated/enums";
import type { DraftAction } from "./action-types";
import { draftFormId } from "./draft-form";

type Props = {
  environment: Environment;
  name: string;
  nextVersion: number;
  /** The `updatedAt` of the draft whose changes are the children. */
  seen: string;
  publish: DraftAction;
  children: ReactNode;
};

/**
 * Publishes exactly the changes it shows. If the draft has changed in the meantime, shows the new changes instead.
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
              The form has unsaved changes, which would not be published. Save the draft, then
              review what will be published.
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
        return "The draft has changed since you opened it, so nothing was published. Review the current changes below.";
      }}
    >
      {children}
    </ConfirmDialog>
  );
}
