"use client";

import { CircleAlert } from "lucide-react";
import { Button } from "@/components/ui/button";
import { CopyButton } from "@/components/ui/copy";

/** Inside the frame, so that every other page is one click away. The digest is the request's id in our log. */
export default function ErrorPage({ error, reset }: { error: Error & { digest?: string }; reset: () => void }) {
  return (
    <div role="alert" className="rounded-2xl border border-line bg-surface px-6 py-12 text-center">
      <CircleAlert className="mx-auto mb-4 size-6 text-danger" aria-hidden="true" />
      <h1 className="font-semibold text-base">This page could not be drawn</h1>
      <p className="mx-auto mt-1 max-w-md text-muted">The fault is ours, and nothing was changed by halves.</p>
      {error.digest ? (
        <p className="mt-3 flex items-center justify-center gap-1 text-muted">
          Request <code className="font-mono text-xs">{error.digest}</code>
          <CopyButton text={error.digest} label="Copy the request id" look="quiet" size="tiny" />
        </p>
      ) : null}
      <Button className="mt-5" onClick={reset}>
        Try again
      </Button>
    </div>
  );
}
