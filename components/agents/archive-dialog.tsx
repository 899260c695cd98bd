"use client";

import { ConfirmDialog } from "@/components/shell/confirm-dialog";
import type { Environment } from "@/prisma/generated/enums";
import type { ArchiveAgent } from "./action-types";

type Props = {
  environment: Environment;
  name: string;
  /** The number of conversations that refer to this agent, in words. */
  conversations: string;
  hasUnpublishedChanges: boolean;
  archive: ArchiveAgent;
};

export function ArchiveDialog({
  environment,
  name,
  conversations,
  hasUnpublishedChanges,
  archive,
}: Props) {
  return (
    <ConfirmDialog
      trigger="Archive…"
      title={`Archive “${name}”?`}
      environment={environment}
      confirm="Archive agent"
      pending="Archiving…"
      act={archive}
      done={`“${name}” archived.`}
    >
      <ul className="list-disc space-y-1 pl-5">
        <li>
          It becomes read-only: it can no longer be edited, published or rolled back, in the
          dashboard or with the API. This cannot be undone.
        </li>
        <li>It stays readable with all of its versions. {conversations} still refer to it.</li>
        {hasUnpublishedChanges ? (
          <li>The draft has changes that were never published, and never will be.</li>
        ) : null}
      </ul>
    </ConfirmDialog>
  );
}
