import { LogOut } from "lucide-react";
import Link from "next/link";
import type { ReactNode } from "react";
import { SubmitButton } from "@/components/ui/submit-button";
import type { Environment } from "@/prisma/generated/enums";
import { EnvironmentSwitch } from "./environment-switch";
import { PageLinks } from "./page-links";
import { TestBar } from "./test-bar";
import { Wordmark } from "./wordmark";

type ShellProps = {
  tenant: { name: string };
  environment: Environment;
  user: { name: string; email: string };
  roleName: string;
  signOut: () => Promise<void>;
  children: ReactNode;
};

/** What stands round every page of the dashboard: a column on the left, or rows on top where the screen is narrow. */
export function Shell({ tenant, environment, user, roleName, signOut, children }: ShellProps) {
  return (
    <div className={`flex min-h-dvh flex-col ${environment === "test" ? "[--bar:1.75rem]" : "[--bar:0rem]"}`}>
      <a href="#content" className="sr-only z-20 rounded-lg bg-surface px-3 py-2 focus:not-sr-only focus:fixed focus:top-2 focus:left-2">
        Skip to the content
      </a>
      {environment === "test" ? <TestBar /> : null}
      <div className="flex flex-1 flex-col md:flex-row">
        <header className="flex shrink-0 flex-col gap-3 border-line border-b bg-surface px-4 py-3 md:sticky md:top-(--bar) md:h-[calc(100dvh-var(--bar))] md:w-60 md:gap-5 md:border-r md:border-b-0 md:py-5">
          <div className="flex items-center justify-between gap-4 md:flex-col md:items-start md:gap-3">
            <Link href="/" aria-label="Parlance, home">
              <Wordmark />
            </Link>
            <p className="truncate font-medium md:w-full" title={tenant.name}>
              {tenant.name}
            </p>
          </div>
          <EnvironmentSwitch current={environment} />
          <div className="flex items-center justify-between gap-4 overflow-x-auto md:flex-1 md:flex-col md:items-stretch">
            <PageLinks />
            <div className="md:border-line md:border-t md:pt-4">
              <div className="mb-2 hidden px-2.5 md:block">
                <p className="truncate font-medium" title={user.email}>
                  {user.name}
                </p>
                <p className="truncate text-muted text-xs">
                  {roleName} · {user.email}
                </p>
              </div>
              <form action={signOut}>
                <SubmitButton look="quiet" size="small" pending="Signing out…" className="md:w-full md:justify-start">
                  <LogOut className="size-4" aria-hidden="true" />
                  Sign out
                </SubmitButton>
              </form>
            </div>
          </div>
        </header>
        <main id="content" tabIndex={-1} className="min-w-0 flex-1 px-4 py-6 outline-none md:px-10 md:py-10">
          <div className="mx-auto max-w-5xl">{children}</div>
        </main>
      </div>
    </div>
  );
}
