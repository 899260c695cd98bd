"use client";

import { useRouter } from "next/navigation";
import type { ReactNode } from "react";
import { ConfirmDialog } from "@/components/shell/confirm-dialog";
import type { Agent } from "@/lib/agents/schema";
import type { Environment } from "@/prisma/generated/enums";
import type { DraftAction } from "./action-types";

type Props = {
  environment: Environment;
  /** The draft's time as shown to the user. A draft that has changed since is not replaced. */
  agent: Pick<Agent, "publishedVersion" | "hasUnpublishedChanges" | "updatedAt">;
  version: number;
  rollBack: DraftAction;
  /** The changes to the published version. */
  children: ReactNode;
};

export function RollBackDialog({ environment, agent, version, rollBack, children }: Props) {
  const router = useRouter();
  const nextVersion = (agent.publishedVersion ?? 0) + 1;
  return (
    <ConfirmDialog
      trigger="Roll back…"
      label={`Roll back to version ${version}`}
      variant="secondary"
      title={`Roll back to version ${version}?`}
      environment={environment}
      isWide
      confirm={`Roll back to version ${version}`}
      pending="Rolling back…"
      act={() => rollBack(agent.updatedAt)}
      done={`Version ${nextVersion} is published, with the content of version ${version}.`}
      onRefused={({ errors }) => {
        if (!errors.updatedAt) return;
        router.refresh();
        return "The draft has changed since you opened it, so nothing was rolled back. Review its changes first: they would be lost.";
      }}
    >
      <p>
        The content of version {version} is published immediately as version {nextVersion}, and
        replaces the draft.{" "}
        {agent.hasUnpublishedChanges ? "The draft’s unpublished changes are lost." : null} No
        version is deleted, so you can roll this back too.
      </p>
      {children}
    </ConfirmDialog>
  );
}
