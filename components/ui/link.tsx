"use client";

import NextLink, { useLinkStatus } from "next/link";
import { type ComponentProps, useState } from "react";
import { LoadingBar } from "./loading-bar";

/**
 * A link inside the dashboard. It prefetches its page when the pointer or the focus comes near, not
 * already when it is visible: the rows of a list alone would cost dozens of requests on each page.
 */
export function Link({ children, prefetch, ...props }: ComponentProps<typeof NextLink>) {
  const [isNear, setIsNear] = useState(false);
  return (
    <NextLink
      {...props}
      prefetch={prefetch ?? (isNear ? null : false)}
      onPointerEnter={() => setIsNear(true)}
      onFocus={() => setIsNear(true)}
    >
      {children}
      <PendingBar />
    </NextLink>
  );
}

function PendingBar() {
  const { pending } = useLinkStatus();
  return pending ? <LoadingBar /> : null;
}
