"use client";

import Link from "next/link";
import { useActionState } from "react";
import { EmailField } from "@/components/profile/account-fields";
import { Notice } from "@/components/ui/notice";
import { SubmitButton } from "@/components/ui/submit-button";
import { Heading } from "../heading";
import { requestResetAction } from "./actions";

const linkClass = "font-medium text-accent underline underline-offset-2";

/** @param mailPage the page that shows emails instead of sending them, if there is one */
export function RequestForm({ mailPage }: { mailPage: string | null }) {
  const [{ message, errors, values, isSent }, action] = useActionState(requestResetAction, {});

  if (isSent) {
    return (
      <div className="space-y-5" role="status">
        <h1 className="font-semibold text-2xl tracking-tight">Check your email</h1>
        <p className="text-muted">
          If <strong className="wrap-anywhere font-medium text-ink">{values?.email}</strong> has an
          account, we’ve emailed it a link to set a new password. The link works once and expires in
          an hour.
        </p>
        {mailPage ? (
          <p className="text-muted">
            No mail server is configured. You can read the email at{" "}
            <code className="font-mono text-xs">{mailPage}</code>. <code>npm start</code> prints the
            full address of that page.
          </p>
        ) : null}
        <Link href="/login" className={linkClass}>
          Back to sign in
        </Link>
      </div>
    );
  }
  return (
    <form action={action} className="space-y-5">
      <Heading title="Set a new password">We’ll email you a link.</Heading>
      {message ? <Notice>{message}</Notice> : null}
      <EmailField value={values?.email} error={errors?.email} />
      <SubmitButton pending="Sending…" className="w-full">
        Send link
      </SubmitButton>
      <p className="text-muted">
        Remember your password?{" "}
        <Link href="/login" className={linkClass}>
          Sign in
        </Link>
      </p>
    </form>
  );
}
