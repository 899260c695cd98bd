-- How many documents a knowledge base has is not known when a statement is planned for any of them. If the statistics know only
-- one base, PostgreSQL would expect every base to have all documents, and read them all to find those of an empty one.
ALTER TABLE "documents" ALTER COLUMN "knowledge_base_id" SET (n_distinct = -0.01);

CREATE OR REPLACE FUNCTION "delete_deliveries_of_webhooks"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  webhook record;
BEGIN
  -- One at a time, because a join of the two could read all deliveries. The two bounds mean equality, and with the order they leave
  -- the index by webhook as the only choice.
  FOR webhook IN SELECT tenant_id, environment, id FROM gone LOOP
    DELETE FROM deliveries d
      WHERE d.tenant_id = webhook.tenant_id AND d.environment = webhook.environment AND d.id = ANY (ARRAY(
        SELECT o.id FROM deliveries o
        WHERE o.tenant_id = webhook.tenant_id AND o.environment = webhook.environment
          AND o.webhook_id >= webhook.id AND o.webhook_id <= webhook.id
        ORDER BY o.webhook_id, o.id
      ));
  END LOOP;
  RETURN NULL;
END $$;
