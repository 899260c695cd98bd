import MiniSearch, { type Options } from "minisearch";

/** A page of the documentation, or a part of it that has an anchor. */
export type SearchEntry = {
  /** Its URL. */
  id: string;
  title: string;
  /** The page that the part is on, or what kind of page it is. */
  page: string;
  text: string;
  /** Words that find it first. */
  keywords?: string;
  /** How far up in the results it belongs. */
  weight: number;
};

export type SearchResult = Pick<SearchEntry, "id" | "title" | "page">;

const maximumResults = 20;

/**
 * The stem of an English word, roughly: `idempotent`, `idempotency` and `idempotently` are one, and
 * so are `snooze`, `snoozed` and `snoozing`.
 */
function stem(word: string): string {
  const lower = word.toLowerCase();
  if (lower.length < 5) return lower;
  return lower
    .replace(/ly$/, "")
    .replace(/(?:i?es|s)$/, "")
    .replace(/(?:[ea]n(?:cy|ce|t)|ing|ions?|ed|y|e)$/, "");
}

const options: Options<SearchEntry> = {
  fields: ["title", "keywords", "page", "text"],
  storeFields: ["title", "page", "weight"],
  // `message.received`, `Retry-After` and `whsec_…` are found by each of their words.
  tokenize: (text) => text.split(/[^\p{L}\p{N}]+/u),
  processTerm: (term) => stem(term) || null,
};

export function buildIndex(entries: SearchEntry[]): MiniSearch<SearchEntry> {
  const index = new MiniSearch(options);
  index.addAll(entries);
  return index;
}

export const loadIndex = (json: string): MiniSearch<SearchEntry> =>
  MiniSearch.loadJSON(json, options);

/** The best matches first. The last word may be incomplete, and words may have a typo. */
export function searchDocs(index: MiniSearch<SearchEntry>, text: string): SearchResult[] {
  const name = text.trim().toLowerCase();
  const isNamed = (title: unknown, id: unknown) =>
    String(title).toLowerCase() === name || String(id).endsWith(`/${name}`);
  return index
    .search(text, {
      combineWith: "AND",
      prefix: (_term, position, terms) => position === terms.length - 1,
      fuzzy: (term) => (term.length > 5 ? 0.2 : false),
      boost: { title: 5, keywords: 5, page: 1.5 },
      boostDocument: (_id, _term, stored) => Number(stored?.weight ?? 1),
    })
    .toSorted((a, b) => Number(isNamed(b.title, b.id)) - Number(isNamed(a.title, a.id)))
    .slice(0, maximumResults)
    .map(({ id, title, page }) => ({ id, title, page }));
}
