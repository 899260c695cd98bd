"use client";

import dynamic from "next/dynamic";
import { useRouter } from "next/navigation";
import { type ReactNode, useState } from "react";
import { lostResponse } from "@/components/shell/lost-response";
import { useProof } from "@/components/shell/proof-dialog";
import { focusNextHeading } from "@/components/ui/arrival-heading";
import { ButtonLink } from "@/components/ui/button";
import type { Refusal } from "@/lib/platform/action-result";
import { defaultDeliveryOptions } from "@/lib/webhooks/delivery-options";
import type { Environment } from "@/prisma/generated/enums";
import type { CreateWebhook, NewSecret } from "./action-types";
import type { EventFamily } from "./event-selection";
import type { Filtering } from "./filter-field";
import { WebhookForm } from "./webhook-form";

const loadDialog = () => import("./new-secret-dialog").then((module) => module.NewSecretDialog);
const NewSecretDialog = dynamic(loadDialog, { ssr: false });

/** Nothing is created yet, so trying again is safe. The input stays. */
const notLoaded = (): Refusal => ({
  outcome: "refused",
  message: "A part of this page could not be loaded. Check your connection and try again.",
  errors: {},
});

type NewWebhookProps = {
  environment: Environment;
  families: EventFamily[];
  urlHint: string;
  filtering: Filtering;
  /** The path of the list, to go back to. The page of the new webhook is below it. */
  listPath: string;
  create: CreateWebhook;
  /** Code that verifies deliveries. */
  snippets: ReactNode;
};

export function NewWebhook({
  environment,
  families,
  urlHint,
  filtering,
  listPath,
  create,
  snippets,
}: NewWebhookProps) {
  const router = useRouter();
  const { prove, question } = useProof();
  const [created, setCreated] = useState<NewSecret | null>(null);
  return (
    <>
      <WebhookForm
        initial={{
          url: "",
          description: null,
          events: [],
          filter: null,
          headers: {},
          ...defaultDeliveryOptions,
          metadata: {},
        }}
        headerNames={[]}
        families={families}
        urlHint={urlHint}
        filtering={filtering}
        submit={`Create ${environment} webhook`}
        pending="Creating…"
        apiCall={(body) => ({ operationId: "createWebhook", body })}
        save={async (input) => {
          // Before anything is created, because the secret is shown only once.
          const loaded = await loadDialog().then(() => null, notLoaded);
          if (loaded) return loaded;
          const result = await prove(() => create(input)).catch(lostResponse);
          if (result.outcome === "refused") return result;
          setCreated(result.value);
          return null;
        }}
        cancel={
          <ButtonLink variant="secondary" href={listPath}>
            Cancel
          </ButtonLink>
        }
      />
      {question}
      {created ? (
        <NewSecretDialog
          title="Copy the signing secret now"
          shown={created}
          environment={environment}
          snippets={snippets}
          onClosed={() => {
            focusNextHeading();
            router.push(`${listPath}/${created.id}`);
          }}
        />
      ) : null}
    </>
  );
}
