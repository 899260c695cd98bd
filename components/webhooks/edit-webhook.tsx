"use client";

import { useRouter } from "next/navigation";
import { useProof } from "@/components/shell/proof-dialog";
import { focusNextHeading } from "@/components/ui/arrival-heading";
import { ButtonLink } from "@/components/ui/button";
import { toast } from "@/components/ui/toast";
import { metadataPatch } from "@/lib/platform/metadata-rows";
import type { UpdateWebhook, WebhookInput } from "./action-types";
import type { EventFamily } from "./event-selection";
import type { Filtering } from "./filter-field";
import { WebhookForm } from "./webhook-form";

type EditWebhookProps = {
  webhookId: string;
  initial: WebhookInput;
  headerNames: string[];
  families: EventFamily[];
  urlHint: string;
  filtering: Filtering;
  path: string;
  update: UpdateWebhook;
};

export function EditWebhook({
  webhookId,
  initial,
  headerNames,
  families,
  urlHint,
  filtering,
  path,
  update,
}: EditWebhookProps) {
  const router = useRouter();
  const { prove, question } = useProof();
  return (
    <>
      <WebhookForm
        initial={initial}
        headerNames={headerNames}
        families={families}
        urlHint={urlHint}
        filtering={filtering}
        submit="Save changes"
        pending="Saving…"
        apiCall={({ metadata, ...fields }) => ({
          operationId: "updateWebhook",
          ids: { webhookId },
          body: { ...fields, metadata: metadataPatch(initial.metadata, metadata) },
        })}
        save={async (input) => {
          const result = await prove(() => update(input));
          if (result.outcome === "refused") return result;
          toast.success("Webhook updated.");
          focusNextHeading();
          router.push(path);
          return null;
        }}
        cancel={
          <ButtonLink variant="secondary" href={path}>
            Cancel
          </ButtonLink>
        }
      />
      {question}
    </>
  );
}
