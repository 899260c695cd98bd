-- CreateEnum
CREATE TYPE "Language" AS ENUM ('da', 'de', 'en', 'es', 'fi', 'fr', 'hu', 'it', 'nl', 'no', 'pt', 'ro', 'ru', 'sv', 'tr');

-- AlterTable
ALTER TABLE "knowledge_bases" ADD COLUMN     "language" "Language";

-- AlterTable
ALTER TABLE "document_chunks" ADD COLUMN     "language" "Language";

-- The text search configuration of a language, which turns words into their stems and drops the most common ones. Without a
-- language, words are only lowercased.
CREATE FUNCTION "search_config"("Language") RETURNS regconfig LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE $1
    WHEN 'da' THEN 'pg_catalog.danish'::regconfig WHEN 'de' THEN 'pg_catalog.german'::regconfig WHEN 'en' THEN 'pg_catalog.english'::regconfig
    WHEN 'es' THEN 'pg_catalog.spanish'::regconfig WHEN 'fi' THEN 'pg_catalog.finnish'::regconfig WHEN 'fr' THEN 'pg_catalog.french'::regconfig
    WHEN 'hu' THEN 'pg_catalog.hungarian'::regconfig WHEN 'it' THEN 'pg_catalog.italian'::regconfig WHEN 'nl' THEN 'pg_catalog.dutch'::regconfig
    WHEN 'no' THEN 'pg_catalog.norwegian'::regconfig WHEN 'pt' THEN 'pg_catalog.portuguese'::regconfig WHEN 'ro' THEN 'pg_catalog.romanian'::regconfig
    WHEN 'ru' THEN 'pg_catalog.russian'::regconfig WHEN 'sv' THEN 'pg_catalog.swedish'::regconfig WHEN 'tr' THEN 'pg_catalog.turkish'::regconfig
    ELSE 'pg_catalog.simple'::regconfig END
$$;

ALTER TABLE "document_chunks" DROP COLUMN "search";

-- Full-text search in the language of the knowledge base. Without one, it works for every language and keeps two versions of a
-- product number apart. The knowledge base's id is an extra word of each chunk, one that the parser never produces from text.
-- Every search includes it, so the index reads only that base's entries and no other tenant's.
ALTER TABLE "document_chunks" ADD COLUMN "search" tsvector NOT NULL
  GENERATED ALWAYS AS (to_tsvector("search_config"("language"), "text") || array_to_tsvector(ARRAY["knowledge_base_id"])) STORED;

CREATE INDEX "document_chunks_search_idx" ON "document_chunks" USING GIN ("search");
