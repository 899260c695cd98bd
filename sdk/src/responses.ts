import { ParlanceError } from "./errors";
import type { ApiResult } from "./transport";

/**
 * Resolves to the data. `.withResponse()` resolves to the data, the response and the request id.
 */
export type ApiPromise<Data> = Promise<Data> & { withResponse(): Promise<ApiResult<Data>> };

export type Page<Item> = {
  data: Item[];
  /** Present only if there are more pages. */
  nextCursor?: string;
};

/**
 * A list. `await` returns its first page. `for await` iterates over all items of all pages, and
 * requests each page after the previous one.
 */
export type ListPromise<Item, ItemPage extends Page<Item> = Page<Item>> = ApiPromise<ItemPage> &
  AsyncIterable<Item> & {
    /** Iterates over the pages instead of the items. */
    pages(): AsyncIterable<ItemPage>;
    /** The first items, at most `limit`. With `Infinity`, all items. */
    toArray(options: { limit: number }): Promise<Item[]>;
  };

export function toApiPromise<Data>(result: Promise<ApiResult<Data>>): ApiPromise<Data> {
  const promise = result.then(({ data }) => data);
  const withResponse = () => {
    ignoreRejection(promise);
    return result;
  };
  return Object.assign(promise, { withResponse });
}

/**
 * The page after `cursor`, or the first one. `limit` applies unless the caller of the list set one.
 */
export type PageRange = { cursor?: string; limit?: number };

/** The maximum number of items on a page of the API. */
const longestPage = 100;

/**
 * Nothing is requested until the list is used, so that `toArray` can request pages of the right
 * size.
 */
export function toListPromise<Item, ItemPage extends Page<Item>>(
  load: (range: PageRange) => Promise<ApiResult<ItemPage>>,
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
      // Otherwise, a broken server could cause an endless loop.
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
