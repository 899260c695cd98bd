import { BookOpen } from "lucide-react";
import type { ReactNode } from "react";
import { Bell } from "@/components/notifications/bell";
import { buttonClass } from "@/components/ui/button";
import { Link } from "@/components/ui/link";
import type { ActionResult } from "@/lib/platform/action-result";
import { roleNames } from "@/lib/platform/roles";
import type { Environment, Role } from "@/prisma/generated/enums";
import { AccountMenu } from "./account-menu";
import { EnvironmentSwitch } from "./environment-switch";
import type { FindObjects } from "./find-objects";
import { MobileMenu } from "./mobile-menu";
import { PageLinks } from "./page-links";
import { PaletteButton } from "./palette-button";
import { TestBar } from "./test-bar";
import { ReportTimeZone, type TimeSettings } from "./time-settings";
import { Wordmark } from "./wordmark";

type ShellProps = {
  tenant: { name: string; slug: string };
  tenants: { name: string; slug: string }[];
  environment: Environment;
  user: { name: string; email: string };
  role: Role;
  signOut: () => Promise<void>;
  time: TimeSettings;
  find: FindObjects;
  markRead: (page: string) => Promise<ActionResult>;
  /** Notices that stay on every page until the user acts on them. */
  notices?: ReactNode;
  children: ReactNode;
};

/** The frame of every dashboard page: a sidebar on the left, or a header on narrow screens. */
export function Shell({
  environment,
  role,
  find,
  markRead,
  notices,
  children,
  ...shown
}: ShellProps) {
  const account = { ...shown, roleName: roleNames[role] };
  const base = `/${account.tenant.slug}/${environment}`;
  const home = (
    <Link href={base} prefetch={false} aria-label="Parlance, overview">
      <Wordmark />
    </Link>
  );
  const docs = (
    <Link
      href="/docs"
      prefetch={false}
      className="flex h-8 items-center gap-2.5 rounded-lg px-2.5 text-muted hover:bg-sunken hover:text-ink"
    >
      <BookOpen className="size-4" aria-hidden="true" />
      Documentation
    </Link>
  );
  return (
    <div
      className={`flex min-h-dvh flex-col ${environment === "test" ? "[--bar:1.75rem]" : "[--bar:0rem]"}`}
    >
      <a
        href="#content"
        className="sr-only z-20 rounded-lg bg-surface px-3 py-2 focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        Skip to content
      </a>
      {environment === "test" ? <TestBar /> : null}
      <ReportTimeZone {...account.time} />
      <div className="flex flex-1 flex-col md:flex-row">
        <header className="sticky top-(--bar) z-10 flex print:hidden h-14 shrink-0 items-center justify-between gap-3 border-line border-b bg-surface px-4 md:hidden">
          {home}
          <div className="flex items-center gap-1">
            <PaletteButton base={base} role={role} find={find} isMobile />
            <Bell
              base={base}
              markRead={markRead}
              isMobile
              className={buttonClass({ variant: "quiet", size: "icon" })}
            />
            <MobileMenu>
              <AccountMenu {...account} base={base} />
              <EnvironmentSwitch current={environment} />
              {docs}
            </MobileMenu>
          </div>
        </header>
        <header className="sticky top-(--bar) hidden print:hidden! h-[calc(100dvh-var(--bar))] w-60 shrink-0 flex-col gap-4 overflow-y-auto border-line border-r bg-surface px-3 pt-5 short:gap-2 short:pt-3 *:shrink-0 md:flex">
          <div className="px-2.5">{home}</div>
          <AccountMenu {...account} base={base} />
          <EnvironmentSwitch current={environment} />
          <PaletteButton base={base} role={role} find={find} />
          <Bell
            base={base}
            markRead={markRead}
            className="flex h-8 items-center gap-2.5 rounded-lg px-2.5 text-muted hover:bg-sunken hover:text-ink"
          />
          <PageLinks />
          <div className="sticky bottom-0 mt-auto border-line border-t bg-surface py-3 short:py-1">
            {docs}
          </div>
        </header>
        <main
          id="content"
          tabIndex={-1}
          className="group/main min-w-0 flex-1 px-4 py-6 outline-none has-[[data-fills-frame]]:p-0 md:px-8 md:py-8 md:has-[[data-fills-frame]]:flex md:has-[[data-fills-frame]]:h-[calc(100dvh-var(--bar))] md:has-[[data-fills-frame]]:flex-col"
        >
          {notices ? (
            <div className="mx-auto max-w-6xl space-y-3 not-empty:mb-6 group-has-[[data-fills-frame]]/main:m-4 group-has-[[data-fills-frame]]/main:max-w-none">
              {notices}
            </div>
          ) : null}
          <div className="mx-auto max-w-6xl has-[[data-fills-frame]]:w-full has-[[data-fills-frame]]:max-w-none md:has-[[data-fills-frame]]:min-h-0 md:has-[[data-fills-frame]]:flex-1">
            {children}
          </div>
        </main>
      </div>
    </div>
  );
}
