"use client";

import { Failure } from "@/components/shell/failure";

/** Inside the frame, so that every other page is one click away. */
export default function ErrorPage({
  error,
  reset,
}: {
  error: Error & { digest?: string };
  reset: () => void;
}) {
  return <Failure requestId={error.digest} reset={reset} />;
}
