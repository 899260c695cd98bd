"use client";

import { type ReactNode, useState } from "react";
import { IsStale, StaleNotice } from "@/components/ui/stale-notice";
import { usePeriodicRefresh } from "@/components/ui/use-periodic-refresh";
import { PageFailure } from "./page-failure";

type LastGoodRenderProps = {
  /** The ID of the failed request, if there are no children to render. */
  failedRequest?: string;
  /** Whether this is the shell, which leaves it to the page inside to show the failure. */
  isFrame?: boolean;
  children?: ReactNode;
};

/**
 * Keeps the last good render when a refresh fails, so that no one loses the page they are reading
 * or writing in, and retries until it works. Without a good render, it shows the failure.
 */
export function LastGoodRender({ failedRequest, isFrame = false, children }: LastGoodRenderProps) {
  const [last, setLast] = useState(children);
  const hasFailed = failedRequest !== undefined;
  if (!hasFailed && last !== children) setLast(children);
  if (hasFailed && last === undefined)
    return <PageFailure requestId={failedRequest} isWhole={isFrame} />;
  return (
    <>
      <IsStale value={hasFailed}>{hasFailed ? last : children}</IsStale>
      {hasFailed && !isFrame ? <TryAgain /> : null}
    </>
  );
}

function TryAgain() {
  usePeriodicRefresh({ isFailing: true });
  return <StaleNotice />;
}
