import { operationPath } from "@/lib/platform/openapi";

/**
 * The guides link to files of the repository, so that the links also work there. Pages that are
 * made from declarations have no file, so a link to one names the file that declares it, and after
 * `#` what is declared: `../../lib/api/problem-explanations.ts#conflict`.
 */
const pagesOfFiles: readonly [RegExp, string | ((...groups: string[]) => string)][] = [
  [/^([\w-]+)\.mdx(?=#|$)/, "/docs/$1"],
  [/^\.\.\/\.\.\/CHANGELOG\.md$/, "/docs/changelog"],
  [/^\.\.\/\.\.\/app\/docs\/openapi\.json\/route\.ts$/, "/docs/openapi.json"],
  [/^\.\.\/\.\.\/lib\/api\/problem-explanations\.ts$/, "/docs/errors"],
  [/^\.\.\/\.\.\/lib\/api\/problem-explanations\.ts#([\w-]+)$/, "/docs/errors/$1"],
  [/^\.\.\/\.\.\/lib\/resources\/registry\.ts$/, "/docs/events"],
  [/^\.\.\/\.\.\/lib\/[\w/-]+\/events\.ts#([\w.]+)$/, "/docs/events/$1"],
  [/^\.\.\/\.\.\/app\/v1\/public$/, "/docs/reference"],
  [/^\.\.\/\.\.\/app\/v1\/public\/([\w-]+)$/, "/docs/reference/$1"],
  [
    /^\.\.\/\.\.\/app\/v1\/public\/([\w-]+)\/[^#]*\broute\.ts#(\w+)$/,
    (_, tag = "", operationId = "") => operationPath(tag, operationId),
  ],
];

/** The page of a file: `webhooks.mdx#secrets` becomes `/docs/webhooks#secrets`. */
export function withoutFileLinks(href: string): string {
  const [pattern, page] = pagesOfFiles.find(([file]) => file.test(href)) ?? [];
  if (!pattern || !page) return href;
  return typeof page === "string" ? href.replace(pattern, page) : href.replace(pattern, page);
}
