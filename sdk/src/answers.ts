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
 * A list: awaited it is its first page; `for await` goes through all items of all pages, and asks
 * for each page when the one before it is used up.
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

/**
 * Which page: the one after `cursor`, or the first; `limit` is used unless the caller of the list
 * has set one.
 */
export type PageRange = { cursor?: string; limit?: number };

/** The most items that the API puts on a page. */
const longestPage = 100;

/**
 * Nothing is requested until the list is used, so that `toArray` can ask for pages of the right
 * size.
 */
export function toListPromise<Item, ItemPage extends Page<Item>>(
  load: (range: PageRange) => Promise<Answer<ItemPage>>,
): ListPromise<Item, ItemPage> {
  let loaded: ApiPromise<ItemPage> | undefined;
  const first = () => {
    loaded ??= toApiPromise(load({}));
    return loaded;
  };

  async function* pages(wanted?: () => number): AsyncGenerator<ItemPage> {
    const limit = () => (wanted ? { limit: Math.min(longestPage, wanted()) } : {});
    for (let page = wanted ? (await load(limit())).data : await first(); ; ) {
      yield page;
      const { nextCursor } = page;
      if (nextCursor === undefined) return;
      page = (await load({ cursor: nextCursor, ...limit() })).data;
      // Otherwise a broken server would keep this going forever.
      if (page.nextCursor === nextCursor)
        throw new ParlanceError(`The page at ${nextCursor} leads to itself.`);
    }
  }

  async function* items(): AsyncGenerator<Item> {
    for await (const { data } of pages()) yield* data;
  }

  async function toArray({ limit }: { limit: number }): Promise<Item[]> {
    const found: Item[] = [];
    if (limit < 1) return found;
    for await (const { data } of pages(() => Math.ceil(limit) - found.length)) {
      for (const item of data) if (found.push(item) >= limit) return found;
    }
    return found;
  }

  return {
    // biome-ignore lint/suspicious/noThenProperty: a list is awaited as a promise is, and requested only then.
    then: (onFulfilled, onRejected) => first().then(onFulfilled, onRejected),
    catch: (onRejected) => first().catch(onRejected),
    finally: (onFinally) => first().finally(onFinally),
    withResponse: () => first().withResponse(),
    pages: () => pages(),
    toArray,
    [Symbol.asyncIterator]: items,
    [Symbol.toStringTag]: "Promise",
  };
}

const ignoreRejection = (promise: Promise<unknown>) => void promise.catch(() => {});
