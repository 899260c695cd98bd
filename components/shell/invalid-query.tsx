"use client";

import { SearchX } from "lucide-react";
import { usePathname } from "next/navigation";
import { ButtonLink } from "@/components/ui/button";

/** For a URL with an invalid filter or cursor: the link was edited, or it is outdated. */
export function InvalidQuery({ detail }: { detail: string }) {
  return (
    <div className="rounded-2xl border border-line bg-surface px-6 py-12 text-center">
      <SearchX className="mx-auto mb-4 size-6 text-muted" aria-hidden="true" />
      <h1 className="font-semibold text-base">This link is not valid</h1>
      <p className="mx-auto mt-1 mb-5 max-w-md text-muted">{detail}</p>
      <ButtonLink variant="secondary" href={usePathname()}>
        Clear filters
      </ButtonLink>
    </div>
  );
}
