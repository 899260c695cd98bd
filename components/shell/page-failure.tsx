"use client";

import { CircleAlert } from "lucide-react";
import { CopyButton } from "@/components/ui/copy";
import { usePeriodicRefresh } from "@/components/ui/use-periodic-refresh";
import { MessagePage } from "./message-page";

type PageFailureProps = {
  /** The request's ID in our log. */
  requestId?: string;
  /** Makes Next retry the page, if Next caught the error. */
  reset?: () => void;
  /** Renders a full page, outside the shell. */
  isWhole?: boolean;
};

/** Replaces a page that could not be rendered, and retries until it can be. */
export function PageFailure({ requestId, reset, isWhole = false }: PageFailureProps) {
  usePeriodicRefresh({ isFailing: true, reset });
  const title = "This page could not be loaded";
  const sentence = "Something went wrong on our side. Trying again…";
  const request = requestId ? (
    <p className="flex items-center gap-1 text-muted">
      Request <code className="font-mono text-xs">{requestId}</code>
      <CopyButton text={requestId} label="Copy the request ID" variant="quiet" size="tiny" />
    </p>
  ) : null;
  if (isWhole) {
    return (
      <MessagePage title={title} action={request}>
        {sentence}
      </MessagePage>
    );
  }
  return (
    <div
      role="alert"
      className="flex flex-col items-center rounded-2xl border border-line bg-surface px-6 py-12 text-center"
    >
      <CircleAlert className="mb-4 size-6 text-danger" aria-hidden="true" />
      <h1 className="font-semibold text-base">{title}</h1>
      <p className="mt-1 mb-3 max-w-md text-muted">{sentence}</p>
      {request}
    </div>
  );
}
