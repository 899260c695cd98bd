"use client";

import { Search } from "lucide-react";
import { usePathname, useRouter, useSearchParams } from "next/navigation";
import { type FormEvent, useTransition } from "react";
import { LoadingBar } from "@/components/ui/loading-bar";
import { refuseOffline } from "@/components/ui/refuse-offline";

/** Searches on Enter. The query is stored in the URL, next to the filters. */
export function SearchBox({ label }: { label: string }) {
  const router = useRouter();
  const path = usePathname();
  const query = useSearchParams();
  const [isPending, startTransition] = useTransition();
  const current = query.get("q") ?? "";

  function show(q: string) {
    const parameters = new URLSearchParams(query);
    for (const name of ["q", "cursor", "message"]) parameters.delete(name);
    if (q.trim() !== "") parameters.set("q", q.trim());
    if (parameters.toString() !== query.toString() && !refuseOffline())
      startTransition(() => router.push(`${path}?${parameters}`));
  }

  function onSubmit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    show(String(new FormData(event.currentTarget).get("q") ?? ""));
  }

  return (
    <search className="block px-4 pb-3">
      {isPending ? <LoadingBar /> : null}
      <form onSubmit={onSubmit} aria-busy={isPending} className="relative">
        <Search
          className="pointer-events-none absolute top-2 left-2.5 size-4 text-muted"
          aria-hidden="true"
        />
        <input
          // Remounts when the value changes in the URL rather than by typing.
          key={current}
          name="q"
          type="search"
          dir="auto"
          aria-label={label}
          aria-keyshortcuts="/"
          placeholder="Search"
          maxLength={200}
          defaultValue={current}
          // The browser's own button for clearing the field leaves it empty without submitting it.
          onInput={({ currentTarget }) => currentTarget.value === "" && show("")}
          className="h-8 w-full rounded-lg border border-line-strong bg-surface pr-2 pl-8 text-ink placeholder:text-muted max-md:text-base"
        />
      </form>
    </search>
  );
}
