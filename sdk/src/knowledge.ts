import type { Caller } from "./call";
import type { SearchKnowledgeBody } from "./generated/types";
import type { RequestOptions } from "./transport";

export const knowledgeOf = ({ call }: Caller) => ({
  /**
   * The parts of documents in one or several knowledge bases that fit best, best first, each with
   * plain `text`, the `ranges` in it that match, and its neighbors if you ask for them.
   */
  search: (body: SearchKnowledgeBody, options?: RequestOptions) =>
    call("POST /knowledge/search", { body }, options),
});
