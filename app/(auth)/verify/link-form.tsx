"use client";

import { useActionState } from "react";
import { Notice } from "@/components/ui/notice";
import { SubmitButton } from "@/components/ui/submit-button";
import type { FormState } from "../form-state";

type LinkFormProps = {
  send: (before: FormState) => Promise<FormState>;
  label: string;
  pending: string;
};

/** The button of a page that a link opens. Mail scanners open links too, but press no button. */
export function LinkForm({ send, label, pending }: LinkFormProps) {
  const [{ message }, action] = useActionState(send, {});
  return (
    <div className="space-y-3">
      {message ? <Notice>{message}</Notice> : null}
      <form action={action}>
        <SubmitButton pending={pending} className="w-full">
          {label}
        </SubmitButton>
      </form>
    </div>
  );
}
