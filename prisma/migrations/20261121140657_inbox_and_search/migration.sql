-- DropIndex
DROP INDEX "conversations_tenant_id_environment_updated_at_idx";

-- AlterTable
ALTER TABLE "customers" ADD COLUMN     "search_words" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- CreateIndex
CREATE INDEX "conversations_tenant_id_environment_updated_at_id_idx" ON "conversations"("tenant_id", "environment", "updated_at", "id");

-- What was there already gets its words. Whoever is changed later on gets them as the application makes them.
UPDATE "customers" SET "search_words" = array_remove(
  regexp_split_to_array(lower(concat_ws(' ', "name", "email", "external_id", "phone")), '\s+') ||
  regexp_split_to_array(lower(concat_ws(' ', "name", "email", "external_id", "phone")), '[^[:alnum:]]+'), '');

-- Customers are found by the beginnings of their words (lib/customers/search-words.ts). The tenant's id is one more word,
-- in capitals as none of the others is: a search asks for it too, and reads no other tenant's entries.
CREATE INDEX "customers_search_idx" ON "customers" USING GIN (array_to_tsvector(array_append("search_words", upper("tenant_id"))));
