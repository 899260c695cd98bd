"use client";

import { CreateDialog } from "@/components/shell/create-dialog";
import { TextAreaField, TextField } from "@/components/ui/field";
import type { ActionResult } from "@/lib/platform/action-result";

type Props = {
  base: string;
  isIcon?: boolean;
  create: (form: FormData) => Promise<ActionResult<{ id: string }>>;
};

/**
 * Creates a conversation by hand, to try things out, so in test only. Sends what the API would get
 * when a customer first writes.
 */
export function CreateConversationDialog({ base, isIcon, create }: Props) {
  return (
    <CreateDialog
      title="Create conversation"
      environment="test"
      create={create}
      path={`${base}/conversations`}
      apiCall={(form) => ({
        operationId: "createConversation",
        body: bodyOf(form, environment),
      })}
      isIcon={isIcon}
    >
      {(errors) => (
        <>
          <TextField
            label="Channel"
            name="channelId"
            defaultValue="dashboard"
            required
            maxLength={255}
            autoComplete="off"
            hint="Your own name for the source of the conversation."
            error={errors.channelId}
          />
          <TextField
            label="Customer’s external id"
            name="externalId"
            maxLength={255}
            autoComplete="off"
            hint="Finds the customer, or creates one. Leave empty to link no customer."
            error={errors["customer.externalId"]}
          />
          <TextField
            label="Subject"
            name="subject"
            maxLength={200}
            autoComplete="off"
            error={errors.subject}
          />
          <TextAreaField
            label="What the customer writes"
            name="message"
            maxLength={10_000}
            rows={3}
            error={errors.message}
          />
        </>
      )}
    </CreateDialog>
  );
}
