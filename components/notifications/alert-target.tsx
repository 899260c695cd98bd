"use client";

import { useRouter } from "next/navigation";
import { ConfirmDialog } from "@/components/shell/confirm-dialog";
import { FormDialog } from "@/components/shell/form-dialog";
import { TextField } from "@/components/ui/field";
import { toast } from "@/components/ui/toast";
import type { ActionResult, ProofRequest } from "@/lib/platform/action-result";

type AlertTargetProps = {
  host: string | null;
  change: (url: string | null) => Promise<ActionResult | ProofRequest>;
};

/** Sets, replaces or removes the incoming webhook that alerts go to. */
export function AlertTarget({ host, change }: AlertTargetProps) {
  const router = useRouter();
  return (
    <div className="flex flex-wrap gap-2">
      <FormDialog
        trigger={host ? "Replace URL…" : "Add URL…"}
        variant="secondary"
        size="small"
        title="Send alerts to a chat"
        description="In Slack, add the app “Incoming WebHooks” to a channel and copy its URL. Mattermost, Discord (with /slack at the end) and others take the same messages."
        submit="Save"
        pending="Saving…"
        send={(form) => change(String(form.get("url") ?? "").trim())}
        onDone={() => {
          toast.success("URL saved. A first message is on its way.");
          router.refresh();
        }}
      >
        {(errors) => (
          <TextField
            label="URL"
            name="url"
            type="url"
            autoComplete="off"
            required
            maxLength={2_048}
            placeholder="https://hooks.slack.com/services/…"
            hint="It is stored encrypted, and not shown again."
            error={errors.url}
          />
        )}
      </FormDialog>
      {host ? (
        <ConfirmDialog
          trigger="Remove…"
          size="small"
          title="Stop sending alerts?"
          environment={null}
          confirm="Remove URL"
          pending="Removing…"
          act={() => change(null)}
          done="Alerts are no longer sent."
          onDone={() => router.refresh()}
        >
          <p>Alerts are no longer sent to {host}. Owners and admins still get mail.</p>
        </ConfirmDialog>
      ) : null}
    </div>
  );
}
