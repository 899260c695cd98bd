"use client";

import { type ReactNode, useState } from "react";
import { IsStale, StaleNotice } from "@/components/ui/stale-notice";
import { usePeriodicRefresh } from "@/components/ui/use-periodic-refresh";
import { PageFailure } from "./page-failure";

type LastGoodRenderProps = {
  /** The id of the request that failed, in the place of children. */
  failedRequest?: string;
  /** It is the frame round a page: the page inside is the one that says so. */
  isFrame?: boolean;
  children?: ReactNode;
};

/**
 * Keeps what was drawn last for when drawing it anew fails, so that nobody loses the page they read
 * or write in, and tries again until it works. Where there is nothing to keep, it says that this
 * failed.
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
