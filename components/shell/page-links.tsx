"use client";

import { KeyRound } from "lucide-react";
import Link from "next/link";
import { usePathname } from "next/navigation";

const pages = [{ path: "api-keys", name: "API keys", Icon: KeyRound }];

export function PageLinks() {
  const [, tenant = "", environment = "", open = ""] = usePathname().split("/");
  return (
    <nav aria-label="Pages">
      <ul className="flex gap-1 md:flex-col">
        {pages.map(({ path, name, Icon }) => (
          <li key={path}>
            <Link
              href={`/${tenant}/${environment}/${path}`}
              aria-current={path === open ? "page" : undefined}
              className="flex h-9 items-center gap-2.5 whitespace-nowrap rounded-lg px-2.5 text-muted hover:bg-sunken hover:text-ink aria-[current]:bg-sunken aria-[current]:font-medium aria-[current]:text-ink"
            >
              <Icon className="size-4" aria-hidden="true" />
              {name}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
