import { ParlanceError } from "./errors";
import type { Answer } from "./transport";

/** Resolves to the data; `.withResponse()` to the data with status, headers and request id. */
export type ApiPromise<Data> = Promise<Data> & { withResponse(): Promise<Answer<Data>> };

export type Page<Item> = {
  data: Item[];
  /** Present only when more pages exist. */
  nextCursor?: string;
};

/**
 * A list: awaited it is its first page; `for await` goes through all items of all pages, and asks for each page when the
 * one before it is used up.
 */
export type ListPromise<Item, ItemPage extends Page<Item> = Page<Item>> = ApiPromise<ItemPage> &
  AsyncIterable<Item> & {
    /** All pages, for what is done a page at a time. */
    pages(): AsyncIterable<ItemPage>;
    /** The first items, at most `limit` of them; a `limit` of Infinity is all there are. */
    toArray(options: { limit: number }): Promise<Item[]>;
  };

export function toApiPromise<Data>(answer: Promise<Answer<Data>>): ApiPromise<Data> {
  const promise = answer.then(({ data }) => data);
  const withResponse = () => {
    ignoreRejection(promise);
    return answer;
  };
  return Object.assign(promise, { withResponse });
}

/** @param load the page at a cursor, or the first one */
export function toListPromise<Item, ItemPage extends Page<Item>>(
  load: (cursor?: string) => Promise<Answer<ItemPage>>,
): ListPromise<Item, ItemPage> {
  const first = toApiPromise(load());

  async function* pages(): AsyncGenerator<ItemPage> {
    for (let page = await first; ; ) {
      yield page;
      const { nextCursor } = page;
      if (nextCursor === undefined) return;
      page = (await load(nextCursor)).data;
      // Otherwise a server gone wrong would keep this going for ever.
      if (page.nextCursor === nextCursor) throw new ParlanceError(`The page at ${nextCursor} leads to itself.`);
    }
  }

  async function* items(): AsyncGenerator<Item> {
    for await (const { data } of pages()) yield* data;
  }

  async function toArray({ limit }: { limit: number }): Promise<Item[]> {
    const found: Item[] = [];
    if (limit < 1) return found;
    for await (const item of items()) if (found.push(item) >= limit) break;
    return found;
  }

  /** Whoever takes the list another way than by awaiting it hears of a failure there. */
  const instead = <Args extends unknown[], Result>(take: (...args: Args) => Result) => {
    return (...args: Args): Result => {
      ignoreRejection(first);
      return take(...args);
    };
  };
  return Object.assign(first, { pages: instead(pages), toArray: instead(toArray), [Symbol.asyncIterator]: instead(items) });
}

const ignoreRejection = (promise: Promise<unknown>) => void promise.catch(() => {});
