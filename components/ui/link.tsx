"use client";

import NextLink, { useLinkStatus } from "next/link";
import { type ComponentProps, type MouseEvent, useState } from "react";
import { LoadingBar } from "./loading-bar";
import { refuseOffline } from "./refuse-offline";

/**
 * A link inside the dashboard. It prefetches its page when the pointer or the focus comes near, not
 * already when it is visible: the rows of a list alone would cost dozens of requests on each page.
 */
export function Link({ children, prefetch, onClick, ...props }: ComponentProps<typeof NextLink>) {
  const [isNear, setIsNear] = useState(false);
  return (
    <NextLink
      {...props}
      prefetch={prefetch ?? (isNear ? null : false)}
      onPointerEnter={() => setIsNear(true)}
      onFocus={() => setIsNear(true)}
      onClick={(event) => {
        onClick?.(event);
        if (opensHere(event) && refuseOffline()) event.preventDefault();
      }}
    >
      {children}
      <PendingBar />
    </NextLink>
  );
}

const opensHere = ({ metaKey, ctrlKey, shiftKey, currentTarget }: MouseEvent<HTMLAnchorElement>) =>
  !metaKey && !ctrlKey && !shiftKey && currentTarget.target !== "_blank";

function PendingBar() {
  const { pending } = useLinkStatus();
  return pending ? <LoadingBar /> : null;
}
