"use client";

import { ChevronsUpDown } from "lucide-react";
import { useTransition } from "react";
import { leaveSafely } from "@/components/ui/leave-safely";
import { Menu, MenuButton, MenuLink, MenuSeparator } from "@/components/ui/menu";
import { TimeMenu, type TimeSettings } from "./time-settings";

type AccountMenuProps = {
  tenant: { name: string; slug: string };
  /** All the organizations that the user is a member of. */
  tenants: { name: string; slug: string }[];
  user: { name: string; email: string };
  roleName: string;
  /** `/{tenant}/{environment}` */
  base: string;
  signOut: () => Promise<void>;
  time: TimeSettings;
};

/** The current organization and user, with links to other organizations and signing out. */
export function AccountMenu({
  tenant,
  tenants,
  user,
  roleName,
  base,
  signOut,
  time,
}: AccountMenuProps) {
  const [, startTransition] = useTransition();
  const others = tenants.filter(({ slug }) => slug !== tenant.slug);
  return (
    <Menu
      className="flex w-full min-w-0 items-center gap-2 rounded-lg border border-line px-2.5 py-1.5 text-left hover:bg-sunken"
      trigger={
        <>
          <span className="min-w-0 flex-1">
            <span dir="auto" className="block truncate font-medium">
              {tenant.name}
            </span>{" "}
            <span className="block truncate text-muted text-xs">
              <bdi>{user.name}</bdi> · {roleName}
            </span>
          </span>
          <span className="sr-only">account and organizations</span>
          <ChevronsUpDown className="size-4 shrink-0 text-muted" aria-hidden="true" />
        </>
      }
    >
      <p className="px-2.5 py-1.5 text-muted text-xs">{user.email}</p>
      <MenuLink href={`${base}/settings/profile`}>Profile and sessions</MenuLink>
      <MenuLink href={`${base}/settings/profile#second-factor`}>Second factor</MenuLink>
      <MenuLink href={`${base}/settings`}>Organization settings</MenuLink>
      {others.length > 0 ? <MenuSeparator /> : null}
      {others.map(({ name, slug }) => (
        <MenuLink key={slug} href={`/${slug}/test`}>
          Go to {name}
        </MenuLink>
      ))}
      <MenuLink href="/welcome">Create organization</MenuLink>
      <MenuSeparator />
      <TimeMenu {...time} />
      <MenuSeparator />
      <MenuButton onClick={() => leaveSafely(() => startTransition(signOut))}>Sign out</MenuButton>
    </Menu>
  );
}
