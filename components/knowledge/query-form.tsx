import { Search } from "lucide-react";
import { Button } from "@/components/ui/button";
import { SelectField, TextField } from "@/components/ui/field";

type Props = {
  path: string;
  query: string;
  match: "all" | "any";
  /** The other knowledge bases of the environment. */
  others: { id: string; name: string; isChosen: boolean }[];
  /** Words then match in all of their forms. */
  hasLanguage: boolean;
};

/** A plain form, so that a query has a URL. */
export function QueryForm({ path, query, match, others, hasLanguage }: Props) {
  return (
    <search className="mb-5 block">
      <form
        key={`${query} ${match}`}
        action={path}
        className="grid items-end gap-3 sm:grid-cols-[minmax(0,1fr)_auto_auto]"
      >
        <TextField
          label="Query"
          name="q"
          type="search"
          required
          maxLength={500}
          defaultValue={query}
          placeholder="What would a customer ask?"
          autoComplete="off"
        />
        <SelectField label="Match" name="match" defaultValue={match}>
          <option value="all">All words</option>
          <option value="any">Any word</option>
        </SelectField>
        <Button type="submit">
          <Search className="size-4" aria-hidden="true" />
          Search
        </Button>
        {others.length > 0 ? (
          <details className="sm:col-span-3" open={others.some(({ isChosen }) => isChosen)}>
            <summary className="w-fit cursor-pointer font-medium">
              Search other knowledge bases, too
            </summary>
            <ul className="mt-2 flex flex-wrap gap-x-5 gap-y-2">
              {others.map(({ id, name, isChosen }) => (
                <li key={id}>
                  <label className="inline-flex items-center gap-2">
                    <input
                      type="checkbox"
                      name="with"
                      value={id}
                      defaultChecked={isChosen}
                      className="size-4 accent-accent"
                    />
                    <span dir="auto" className="wrap-anywhere">
                      {name}
                    </span>
                  </label>
                </li>
              ))}
            </ul>
          </details>
        ) : null}
        <p className="text-muted sm:col-span-3">
          {hasLanguage ? "Words match in any of their forms. " : "Words match exactly as written. "}
          Use quotation marks for a phrase, and <code>-</code> before a word to exclude it.
        </p>
      </form>
    </search>
  );
}
