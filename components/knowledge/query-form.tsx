import { Search } from "lucide-react";
import { Button } from "@/components/ui/button";
import { TextField } from "@/components/ui/field";

/** A plain form, so that a query has a URL. */
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
          Finds documents that contain every word exactly as written: <code>lamp</code> does not
          match “lamps”, but <code>lamp or lamps</code> matches either. Use quotation marks for a
          phrase, and <code>-</code> before a word to exclude it.
        </p>
      </form>
    </search>
  );
}
