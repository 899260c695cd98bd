import Link from "next/link";
import { cache } from "react";
import { z } from "zod";
import { dashboardPage, objectTitle } from "@/app/(dashboard)/dashboard-page";
import { parse } from "@/app/(dashboard)/run-action";
import { KnowledgeBaseHeader } from "@/components/knowledge/knowledge-base-header";
import { QueryForm } from "@/components/knowledge/query-form";
import { SearchHits } from "@/components/knowledge/search-hits";
import { EmptyState } from "@/components/ui/empty-state";
import { RawJson } from "@/components/ui/raw-json";
import { getKnowledgeBase } from "@/lib/knowledge/bases/service";
import { searchQuery } from "@/lib/knowledge/documents/schema";
import { searchDocuments } from "@/lib/knowledge/documents/service";
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
    const knowledgeBase = await getKnowledgeBase(caller, params.knowledgeBaseId);
    const path = `${base}/knowledge/${knowledgeBase.id}`;
    const hasQuery = typeof query.q === "string" && query.q.trim() !== "";
    const search = hasQuery ? parse(searchQuery, query, "query") : null;
    const results = search && (await searchDocuments(caller, knowledgeBase.id, search));

    return (
      <>
        <KnowledgeBaseHeader knowledgeBase={knowledgeBase} base={base} current="search" />
        <QueryForm path={`${path}/search`} query={search?.q ?? ""} />
        {results === null ? null : results.data.length > 0 ? (
          <div className="space-y-5">
            <SearchHits
              path={path}
              hits={results.data.map((hit) => ({ ...hit, pieces: excerptPieces(hit) }))}
            />
            <RawJson value={results} label="the response as JSON" base={base} />
          </div>
        ) : (
          <EmptyState
            title="No results"
            curl={searchByApi(knowledgeBase.id, search?.q ?? "", environment)}
          >
            {knowledgeBase.documentCounts.ready > 0 ? (
              <AnyOfThem path={`${path}/search`} words={search?.q ?? ""} />
            ) : (
              "No documents in this knowledge base are ready to search yet."
            )}
          </EmptyState>
        )}
      </>
    );
  },
);

/** What to try when no document contains all of the words. */
function AnyOfThem({ path, words }: { path: string; words: string }) {
  const anyOf = (words.match(/[\p{L}\p{N}]{3,}/gu) ?? []).join(" or ");
  const isNarrower = anyOf.includes(" or ") && !/(^|\s)or\s/i.test(words);
  return (
    <>
      No document contains all of these words exactly as written: “lamp” does not match “lamps”. Try
      other forms, or several: <code>lamp or lamps</code>.
      {isNarrower ? (
        <>
          {" "}
          Or{" "}
          <Link
            href={`${path}?${new URLSearchParams({ q: anyOf })}`}
            className="text-accent underline underline-offset-2"
          >
            search for any of your words
          </Link>
          .
        </>
      ) : null}
    </>
  );
}

const searchByApi = (
  id: string,
  query: string,
  environment: string,
) => `curl --get ${env().APP_URL}/v1/public/knowledge-bases/${id}/search \\
  --data-urlencode 'q=${query.replaceAll("'", "'\\''")}' \\
  -H "Authorization: Bearer ${env().SERVICE_PREFIX}_${environment}_…"`;
