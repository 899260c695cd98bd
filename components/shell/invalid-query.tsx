"use client";

import { SearchX } from "lucide-react";
import { usePathname } from "next/navigation";
import { ButtonLink } from "@/components/ui/button";

/**
 * A filter or a cursor in the address that cannot be read: somebody edited a link, or it is too
 * old.
 */
export function InvalidQuery({ detail }: { detail: string }) {
  return (
    <div className="rounded-2xl border border-line bg-surface px-6 py-12 text-center">
      <SearchX className="mx-auto mb-4 size-6 text-muted" aria-hidden="true" />
      <h1 className="font-semibold text-base">This address cannot be read</h1>
      <p className="mx-auto mt-1 mb-5 max-w-md text-muted">{detail}</p>
      <ButtonLink variant="secondary" href={usePathname()}>
        Show the page without filters
      </ButtonLink>
    </div>
  );
}
