"use client";

import { useActionState } from "react";
import { Notice } from "@/components/ui/notice";
import { SubmitButton } from "@/components/ui/submit-button";
import { acceptAction } from "../actions";

export function AcceptForm({ token, organization }: { token: string; organization: string }) {
  const [{ message }, action] = useActionState(acceptAction.bind(null, token), {});
  return (
    <form action={action} className="space-y-5">
      {message ? <Notice>{message}</Notice> : null}
      <SubmitButton pending="Joining…" className="w-full">
        {`Join ${organization}`}
      </SubmitButton>
    </form>
  );
}
