"use client";

import { PageFailure } from "@/components/shell/page-failure";

export default function ErrorPage({
  error,
  reset,
}: {
  error: Error & { digest?: string };
  reset: () => void;
}) {
  return <PageFailure isWhole requestId={error.digest} reset={reset} />;
}
