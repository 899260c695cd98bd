"use client";

import { useActionState } from "react";
import { Notice } from "@/components/ui/notice";
import { SubmitButton } from "@/components/ui/submit-button";
import { confirmEmailAction } from "../actions";

export function ConfirmForm({ token, hasAccess }: { token: string; hasAccess: boolean }) {
  const [kept, keep] = useActionState(confirmEmailAction.bind(null, token, "everything"), {});
  const [reviewed, review] = useActionState(confirmEmailAction.bind(null, token, "nothing"), {});
  const message = kept.message ?? reviewed.message;
  return (
    <div className="space-y-3">
      {message ? <Notice>{message}</Notice> : null}
      <form action={keep}>
        <SubmitButton pending="Confirming…" className="w-full">
          {hasAccess ? "Confirm address and keep everything" : "Confirm address"}
        </SubmitButton>
      </form>
      {hasAccess ? (
        <form action={review}>
          <SubmitButton pending="Confirming…" variant="secondary" className="w-full">
            Confirm address and review access
          </SubmitButton>
        </form>
      ) : null}
    </div>
  );
}
