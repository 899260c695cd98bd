"use client";

import { PageFailure } from "@/components/shell/page-failure";

/** Inside the shell, so that every other page is one click away. */
export default function ErrorPage({
  error,
  reset,
}: {
  error: Error & { digest?: string };
  reset: () => void;
}) {
  return <PageFailure requestId={error.digest} reset={reset} />;
}
