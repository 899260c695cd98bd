"use client";

import type { ComponentProps } from "react";
import { Notice } from "@/components/ui/notice";
import { SubmitButton } from "@/components/ui/submit-button";
import type { FormState } from "./form-state";
import { useActionForm } from "./use-action-form";

type LinkFormProps = {
  send: (before: FormState) => Promise<FormState>;
  label: string;
} & Pick<ComponentProps<typeof SubmitButton>, "pending" | "variant">;

/** The button of a page that a link opens. Mail scanners open links too, but press no button. */
export function LinkForm({ send, label, pending, variant }: LinkFormProps) {
  const { state, form } = useActionForm(send);
  return (
    <form {...form} className="space-y-3">
      {state.message ? <Notice>{state.message}</Notice> : null}
      <SubmitButton pending={pending} variant={variant} className="w-full">
        <span className="truncate">{label}</span>
      </SubmitButton>
    </form>
  );
}
