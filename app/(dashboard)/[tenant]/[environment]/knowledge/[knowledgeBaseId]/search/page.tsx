import { parse } from "@/app/(dashboard)/act";
import { pageOf } from "@/app/(dashboard)/page-of";
import { BaseHeader } from "@/components/knowledge/base-header";
import { QueryForm } from "@/components/knowledge/query-form";
import { SearchHits } from "@/components/knowledge/search-hits";
import { EmptyState } from "@/components/ui/empty-state";
import { RawJson } from "@/components/ui/raw-json";
import { excerptPieces } from "@/lib/documents/excerpt";
import { searchQuery } from "@/lib/documents/schema";
import { searchDocuments } from "@/lib/documents/service";
import { env } from "@/lib/env";
import { getKnowledgeBase } from "@/lib/knowledge-bases/service";

export const metadata = { title: "Try a query" };

export default pageOf<"knowledgeBaseId">(async ({ caller, environment, base, params, query }) => {
  const knowledgeBase = await getKnowledgeBase(caller, params.knowledgeBaseId);
  const path = `${base}/knowledge/${knowledgeBase.id}`;
  const hasQuery = typeof query.q === "string" && query.q.trim() !== "";
  const search = hasQuery ? parse(searchQuery, query, "query") : null;
  const results = search && (await searchDocuments(caller, knowledgeBase.id, search));

  return (
    <>
      <BaseHeader knowledgeBase={knowledgeBase} base={base} current="search" />
      <QueryForm path={`${path}/search`} query={search?.q ?? ""} />
      {results === null ? null : results.data.length > 0 ? (
        <div className="space-y-5">
          <SearchHits path={path} hits={results.data.map(({ excerpt, ...hit }) => ({ ...hit, pieces: excerptPieces(excerpt) }))} />
          <RawJson value={results} label="the answer as JSON" />
        </div>
      ) : (
        <EmptyState title="Nothing was found" curl={searchByApi(knowledgeBase.id, search?.q ?? "", environment)}>
          {knowledgeBase.documentCounts.ready > 0
            ? "No document has all of these words. They are compared as they are written: “cats” does not find “cat”."
            : "No document of this base is ready to be searched yet."}
        </EmptyState>
      )}
    </>
  );
});

const searchByApi = (
  id: string,
  query: string,
  environment: string,
) => `curl --get ${env().APP_URL}/v1/public/knowledge-bases/${id}/search \\
  --data-urlencode 'q=${query.replaceAll("'", "'\\''")}' \\
  -H "Authorization: Bearer ${env().SERVICE_PREFIX}_${environment}_…"`;
