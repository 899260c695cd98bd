import Link from "next/link";
import type { ReactNode } from "react";
import { Wordmark } from "@/components/shell/wordmark";

export default function AuthLayout({ children }: { children: ReactNode }) {
  return (
    <main className="mx-auto flex min-h-dvh w-full max-w-sm flex-col justify-center gap-8 px-5 py-12">
      <div className="space-y-3">
        <Wordmark />
        <p className="text-muted">
          Parlance stores your customers’ conversations behind a REST API, with an inbox for your
          team and webhooks for your systems.{" "}
          <Link href="/docs" className="font-medium text-accent underline underline-offset-2">
            Documentation
          </Link>
        </p>
      </div>
      {children}
    </main>
  );
}
