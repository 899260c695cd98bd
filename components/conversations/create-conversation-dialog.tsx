"use client";

import { CreateDialog } from "@/components/shell/create-dialog";
import { TextAreaField, TextField } from "@/components/ui/field";
import type { ActionResult } from "@/lib/platform/action-result";
import type { Environment } from "@/prisma/generated/enums";
import { newConversationBody } from "./new-conversation-body";

type Props = {
  base: string;
  environment: Environment;
  isIcon?: boolean;
  create: (form: FormData) => Promise<ActionResult<{ id: string }>>;
};

/**
 * Starts a conversation by hand. In live, its first message is the user's. In test, to try things
 * out, it is what a customer would write.
 */
export function CreateConversationDialog({ base, environment, isIcon, create }: Props) {
  return (
    <CreateDialog
      title="Create conversation"
      environment={environment}
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
            label="Customer’s external ID"
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
            label={environment === "live" ? "Your message" : "What the customer writes"}
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

/** In live, the first message is the member's. */
function bodyOf(form: FormData, environment: Environment): object {
  const { message, ...fields } = newConversationBody(form) as { message?: string };
  if (!message || environment === "test") return { ...fields, ...(message && { message }) };
  return { ...fields, message: { text: message, author: { type: "USER" } } };
}
