import type { ReactNode } from "react";
import { Wordmark } from "./wordmark";

/** A page with a single message. */
export function MessagePage({
  title,
  action,
  children,
}: {
  title: string;
  action?: ReactNode;
  children: ReactNode;
}) {
  return (
    <main className="mx-auto flex min-h-dvh max-w-md flex-col justify-center gap-6 px-5 py-12">
      <Wordmark />
      <div className="space-y-2">
        <h1 className="font-semibold text-2xl tracking-tight">{title}</h1>
        <p className="text-muted">{children}</p>
      </div>
      {action ? <div>{action}</div> : null}
    </main>
  );
}
