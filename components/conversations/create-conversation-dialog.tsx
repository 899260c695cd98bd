"use client";

import { Plus } from "lucide-react";
import { useRouter } from "next/navigation";
import { type FormEvent, useState, useTransition } from "react";
import { EnvironmentName } from "@/components/shell/environment-name";
import { Button, buttonClass } from "@/components/ui/button";
import { Dialog, DialogContent, DialogTrigger } from "@/components/ui/dialog";
import { TextAreaField, TextField } from "@/components/ui/field";
import { Notice } from "@/components/ui/notice";
import type { ActionResult } from "@/lib/action-result";

type CreateConversation = (fields: Record<string, string>) => Promise<ActionResult<{ id: string }>>;

/** By hand, for trying out: what the API would be sent, as a customer's first message. */
export function CreateConversationDialog({
  base,
  isSmall = false,
  create,
}: {
  base: string;
  isSmall?: boolean;
  create: CreateConversation;
}) {
  const router = useRouter();
  const [isOpen, setIsOpen] = useState(false);
  const [result, setResult] = useState<ActionResult<{ id: string }> | null>(null);
  const [isPending, startTransition] = useTransition();
  const refused = result?.outcome === "refused" ? result : null;
  const errors = refused?.errors ?? {};

  function onSubmit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const fields = Object.fromEntries([...new FormData(event.currentTarget)].map(([name, value]) => [name, String(value)]));
    startTransition(async () => {
      const answer = await create(fields);
      setResult(answer);
      if (answer.outcome === "refused") return;
      setIsOpen(false);
      router.push(`${base}/conversations/${answer.value.id}`);
    });
  }

  return (
    <Dialog
      open={isOpen}
      onOpenChange={setIsOpen}
      onOpenChangeComplete={(open) => {
        if (!open) setResult(null);
      }}
    >
      <DialogTrigger
        className={isSmall ? buttonClass({ look: "quiet", size: "icon" }) : buttonClass()}
        aria-label={isSmall ? "Create a conversation" : undefined}
      >
        <Plus className="size-4" aria-hidden="true" />
        {isSmall ? null : "Create a conversation"}
      </DialogTrigger>
      <DialogContent
        title="Create a conversation"
        description={
          <>
            As if a customer had written, in <EnvironmentName environment="test" />. Webhooks hear of it.
          </>
        }
      >
        <form onSubmit={onSubmit} className="space-y-4">
          {refused && Object.keys(errors).length === 0 ? <Notice>{refused.message}</Notice> : null}
          <TextField
            label="Channel"
            name="channelId"
            defaultValue="dashboard"
            required
            maxLength={255}
            autoComplete="off"
            hint="Your own name for where it comes from."
            error={errors.channelId}
          />
          <TextField
            label="Customer’s external id"
            name="customer.externalId"
            maxLength={255}
            autoComplete="off"
            hint="Optional. The customer is found by it, or created."
            error={errors["customer.externalId"]}
          />
          <TextField label="Subject" name="subject" maxLength={200} autoComplete="off" hint="Optional." error={errors.subject} />
          <TextAreaField label="First message" name="message" maxLength={10_000} rows={3} hint="Optional." error={errors.message} />
          <div className="flex justify-end">
            <Button type="submit" disabled={isPending}>
              {isPending ? "Creating…" : "Create test conversation"}
            </Button>
          </div>
        </form>
      </DialogContent>
    </Dialog>
  );
}
