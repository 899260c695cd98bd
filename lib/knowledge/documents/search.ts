import { getKnowledgeBase, requireKnowledgeBases } from "@/lib/knowledge/bases/service";
import type { Caller } from "@/lib/platform/caller";
import { readRows, runSql } from "@/lib/platform/db";
import { toAnyWord } from "./any-word";
import { readMarked, toHtml } from "./excerpt";
import type { KnowledgeHit, KnowledgeHits, Search, SearchKnowledge, SearchResults } from "./schema";
import { searchBasesStatement, searchStatement } from "./service.sql";

type FoundChunk = { documentId: string; name: string; marked: string; score: number };

/**
 * Full-text search over the ready documents of one knowledge base. A query without a word finds
 * nothing.
 */
export async function searchDocuments(
  caller: Caller,
  knowledgeBaseId: string,
  { q, limit }: Search,
): Promise<SearchResults> {
  await getKnowledgeBase(caller, knowledgeBaseId);
  const rows = await runSql<FoundChunk>(
    searchStatement({ ...caller.partition, knowledgeBaseId, query: q, limit }),
    caller,
  );
  return {
    data: rows.map(({ marked, ...found }) => {
      const excerpt = readMarked(marked);
      return { ...found, ...excerpt, excerpt: toHtml(excerpt) };
    }),
  };
}

type FoundPart = Omit<KnowledgeHit, "text" | "ranges"> & { marked: string };

/** Full-text search over the ready documents of several knowledge bases. */
export async function searchKnowledge(
  caller: Caller,
  { q, knowledgeBaseIds, match, neighbors, limit }: SearchKnowledge,
): Promise<KnowledgeHits> {
  await requireKnowledgeBases(caller, knowledgeBaseIds);
  const words = match === "any" ? toAnyWord(q) : { wanted: q, unwanted: "" };
  const rows = await readRows<FoundPart>(
    searchBasesStatement({ ...caller.partition, knowledgeBaseIds, ...words, neighbors, limit }),
    caller,
  );
  return { data: rows.map(({ marked, ...found }) => ({ ...found, ...readMarked(marked) })) };
}
