"use client";

import { type ReactNode, useState } from "react";
import { BehindNote, IsBehind } from "@/components/ui/behind";
import { useRedraw } from "@/components/ui/use-redraw";
import { Failure } from "./failure";

type KeptProps = {
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
export function Kept({ failedRequest, isFrame = false, children }: KeptProps) {
  const [last, setLast] = useState(children);
  const hasFailed = failedRequest !== undefined;
  if (!hasFailed && last !== children) setLast(children);
  if (hasFailed && last === undefined)
    return <Failure requestId={failedRequest} isWhole={isFrame} />;
  return (
    <>
      <IsBehind value={hasFailed}>{hasFailed ? last : children}</IsBehind>
      {hasFailed && !isFrame ? <TryAgain /> : null}
    </>
  );
}

function TryAgain() {
  useRedraw({ isFailing: true });
  return <BehindNote />;
}
