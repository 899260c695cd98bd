import { cache } from "react";
import { z } from "zod";
import { dashboardPage, objectTitle } from "@/app/(dashboard)/dashboard-page";
import { parse } from "@/app/(dashboard)/run-action";
import { KnowledgeBaseHeader } from "@/components/knowledge/knowledge-base-header";
import { QueryForm } from "@/components/knowledge/query-form";
import { SearchHits } from "@/components/knowledge/search-hits";
import { EmptyState } from "@/components/ui/empty-state";
import { Link } from "@/components/ui/link";
import { RawJson } from "@/components/ui/raw-json";
import { listKnowledgeBasesQuery } from "@/lib/knowledge/bases/schema";
import { getKnowledgeBase, listKnowledgeBases } from "@/lib/knowledge/bases/service";
import { type SearchKnowledge, searchKnowledgeBody } from "@/lib/knowledge/documents/schema";
import { searchKnowledge } from "@/lib/knowledge/documents/search";
import { env } from "@/lib/platform/env";
import { excerptPieces } from "@/lib/platform/excerpt";

const load = cache(getKnowledgeBase);

export const generateMetadata = objectTitle<"knowledgeBaseId">(
  "Search · Knowledge",
  async (caller, { knowledgeBaseId }) => (await load(caller, knowledgeBaseId)).name,
);

/** The other knowledge bases that the form offers. A search can have 20. */
const offeredBases = 20;

const pageQuery = z.strictObject({
  q: z.string().max(500).default(""),
  match: z.enum(["all", "any"]).default("all"),
  /** Further knowledge bases to search. */
  with: z
    .union([
      z.array(z.string().max(100)),
      z
        .string()
        .max(100)
        .transform((id) => [id]),
    ])
    .default([]),
});

export default dashboardPage<"knowledgeBaseId">(
  async ({ caller, environment, base, params, query }) => {
    const knowledgeBase = await load(caller, params.knowledgeBaseId);
    const path = `${base}/knowledge/${knowledgeBase.id}/search`;
    const { q, match, with: further } = parse(pageQuery, query, "query");
    const page = parse(listKnowledgeBasesQuery, { limit: String(offeredBases) }, "query");
    const { data: bases } = await listKnowledgeBases(caller, page);
    const others = bases.filter(({ id }) => id !== knowledgeBase.id).slice(0, offeredBases - 1);
    const chosen = others.filter(({ id }) => further.includes(id));
    const names = new Map([knowledgeBase, ...chosen].map(({ id, name }) => [id, name]));
    const request = { q: q.trim(), knowledgeBaseIds: [...names.keys()], match };
    const results =
      request.q === ""
        ? null
        : await searchKnowledge(caller, parse(searchKnowledgeBody, request, "query"));

    return (
      <>
        <KnowledgeBaseHeader knowledgeBase={knowledgeBase} base={base} current="search" />
        <QueryForm
          path={path}
          query={q}
          match={match}
          others={others.map(({ id, name }) => ({ id, name, isChosen: names.has(id) }))}
          hasLanguage={knowledgeBase.language !== null}
        />
        {results === null ? null : results.data.length > 0 ? (
          <div className="space-y-5">
            <SearchHits
              base={base}
              hits={results.data.map((hit) => ({
                ...hit,
                pieces: excerptPieces(hit),
                knowledgeBaseName: names.size > 1 ? names.get(hit.knowledgeBaseId) : undefined,
              }))}
            />
            <RawJson value={results} label="the response as JSON" base={base} />
          </div>
        ) : (
          <EmptyState title="No results" curl={searchByApi(request, environment)}>
            {[knowledgeBase, ...chosen].some(({ documentCounts: { ready } }) => ready > 0) ? (
              <NoMatch
                anyWord={`${path}?${new URLSearchParams([
                  ["q", q],
                  ["match", "any"],
                  ...chosen.map(({ id }) => ["with", id]),
                ])}`}
                match={match}
                hasLanguage={knowledgeBase.language !== null}
              />
            ) : (
              "No documents are ready to search yet."
            )}
          </EmptyState>
        )}
      </>
    );
  },
);

/** What to try when no document matches. */
function NoMatch({
  anyWord,
  match,
  hasLanguage,
}: {
  anyWord: string;
  match: SearchKnowledge["match"];
  hasLanguage: boolean;
}) {
  return (
    <>
      No document contains {match === "all" ? "all" : "any"} of these words
      {match === "all" ? " in one of its parts" : ""}
      {hasLanguage ? "." : ", exactly as written: “lamp” does not match “lamps”."}
      {match === "all" ? (
        <>
          {" "}
          <Link href={anyWord} className="text-accent underline underline-offset-2">
            Search for any of your words
          </Link>
          .
        </>
      ) : null}
    </>
  );
}

const searchByApi = (
  request: Pick<SearchKnowledge, "q" | "knowledgeBaseIds" | "match">,
  environment: string,
) => `curl ${env().APP_URL}/v1/public/knowledge/search \\
  -H "Authorization: Bearer ${env().SERVICE_PREFIX}_${environment}_…" \\
  -H "Content-Type: application/json" \\
  -d '${JSON.stringify(request).replaceAll("'", "'\\''")}'`;
