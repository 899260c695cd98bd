-- How many documents a knowledge base has is not known when a statement is planned for any of them. If the statistics know only
-- one base, PostgreSQL would expect every base to have all documents, and read them all to find those of an empty one.
ALTER TABLE "documents" ALTER COLUMN "knowledge_base_id" SET (n_distinct = -0.01);
