/**
 * A query of which any word or phrase is enough. Those after a minus must still not occur.
 * @returns two queries that PostgreSQL reads: what to find, and what must not occur
 */
export function toAnyWord(q: string): { wanted: string; unwanted: string } {
  const parts = [...q.matchAll(/(-?)("[^"]*"?|[^\s"]+)/g)].filter(
    ([part]) => part.toLowerCase() !== "or",
  );
  const wanted = parts.filter(([, minus]) => !minus);
  const unwanted = parts.filter(([, minus]) => minus);
  return {
    wanted: wanted.map(([part]) => part).join(" or "),
    unwanted: unwanted.map(([part]) => part).join(" "),
  };
}
