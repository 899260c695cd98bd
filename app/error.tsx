"use client";

import { MessagePage } from "@/components/shell/message-page";
import { Button } from "@/components/ui/button";

export default function ErrorPage({ error, reset }: { error: Error & { digest?: string }; reset: () => void }) {
  return (
    <MessagePage title="That did not work" action={<Button onClick={reset}>Try again</Button>}>
      The fault is ours, and nothing was changed by halves.
      {error.digest ? (
        <>
          {" "}
          If it stays, tell us this number: <code className="font-mono">{error.digest}</code>
        </>
      ) : null}
    </MessagePage>
  );
}
