"use client";

import Link, { useLinkStatus } from "next/link";
import { type ComponentProps, useState } from "react";
import { LoadingBar } from "./loading-bar";

/**
 * A link of the navigation. It prefetches its page when the pointer or the focus comes near, not
 * already when it is visible: the navigation alone would cost a dozen requests on each page.
 */
export function NearbyLink({ children, ...props }: ComponentProps<typeof Link>) {
  const [isNear, setIsNear] = useState(false);
  return (
    <Link
      {...props}
      prefetch={isNear ? null : false}
      onPointerEnter={() => setIsNear(true)}
      onFocus={() => setIsNear(true)}
    >
      {children}
      <PendingBar />
    </Link>
  );
}

function PendingBar() {
  const { pending } = useLinkStatus();
  return pending ? <LoadingBar /> : null;
}
