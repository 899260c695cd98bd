import { Search } from "lucide-react";
import { Button } from "@/components/ui/button";
import { TextField } from "@/components/ui/field";

/** A plain form, so that a query has an address. */
export function QueryForm({ path, query }: { path: string; query: string }) {
  return (
    <search className="mb-5 block">
      <form action={path} className="grid items-end gap-x-3 sm:grid-cols-[minmax(0,1fr)_auto]">
        <TextField
          key={query}
          label="Query"
          name="q"
          type="search"
          required
          maxLength={500}
          defaultValue={query}
          placeholder="What would a customer ask?"
          autoComplete="off"
        />
        <Button type="submit" className="max-sm:mt-3">
          <Search className="size-4" aria-hidden="true" />
          Search
        </Button>
        <p className="mt-1.5 text-muted sm:col-span-2">
          All words have to occur, in the form in which you write them: <code>lamp</code> does not find “lamps”, and{" "}
          <code>lamp or lamps</code> finds either. Words in quotation marks stand in this order; <code>-</code> stands before a word that
          must not occur.
        </p>
      </form>
    </search>
  );
}
