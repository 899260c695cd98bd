"use client";

import Link from "next/link";
import { EmailField } from "@/components/profile/account-fields";
import { Notice } from "@/components/ui/notice";
import { SubmitButton } from "@/components/ui/submit-button";
import { Heading } from "../heading";
import { useActionForm } from "../use-action-form";
import { requestResetAction } from "./actions";

const linkClass = "font-medium text-accent underline underline-offset-2";

type RequestFormProps = {
  /** The page that shows emails instead of sending them, if there is one. */
  mailPage: string | null;
  /** Whether the user has just reversed the change of their address. */
  isAddressRestored: boolean;
};

export function RequestForm({ mailPage, isAddressRestored }: RequestFormProps) {
  const { state, errors, form } = useActionForm(requestResetAction);
  const { message, values, isSent } = state;

  if (isSent) {
    return (
      <div className="space-y-5">
        <Heading title="Check your email">
          If <strong className="font-medium text-ink">{values?.email}</strong> has an account, we’ve
          emailed it a link to set a new password. The link works once and expires in an hour.
        </Heading>
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
    <form {...form} className="space-y-5">
      <Heading title="Set a new password">
        {isAddressRestored ? "The change of your address was reversed. " : ""}We’ll email you a
        link.
      </Heading>
      {message ? <Notice>{message}</Notice> : null}
      <EmailField value={values?.email} error={errors.email} />
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
