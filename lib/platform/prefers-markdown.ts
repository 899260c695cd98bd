/** A page of the documentation, and its path below `/docs`. */
export const docsPage = /^\/docs((?:\/(?!.*\.(?:json|md)$).+)?)$/;

/**
 * Whether an `Accept` header names Markdown, and prefers nothing else to it: browsers never name it,
 * and programs that do want it even if they name HTML with the same weight.
 */
export function prefersMarkdown(accept: string | null): boolean {
  if (!accept?.includes("text/markdown")) return false;
  const weights = new Map<string, number>();
  for (const range of accept.split(",")) {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
    weights.set(type, weight === undefined ? 1 : Number(weight) || 0);
  }
  const markdown = weights.get("text/markdown") ?? 0;
  // The most specific range decides.
  const html = weights.get("text/html") ?? weights.get("text/*") ?? weights.get("*/*") ?? 0;
  return markdown > 0 && markdown >= html;
}
