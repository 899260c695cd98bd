-- A client can continue the list of members after one who has left. Both environments have the same list.
CREATE FUNCTION "remember_former_members"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO deleted_items (tenant_id, environment, id)
    SELECT tenant_id, environment, user_id FROM gone CROSS JOIN unnest(enum_range(NULL::"Environment")) AS every (environment)
    ON CONFLICT (tenant_id, environment, id) DO UPDATE SET deleted_at = excluded.deleted_at;
  RETURN NULL;
END $$;

CREATE TRIGGER "memberships_remember_former" AFTER DELETE ON "memberships" REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION "remember_former_members"();
