-- Dropping a week moves the unfinished deliveries of an organization that is being moved, too.
CREATE OR REPLACE FUNCTION "guard_moving_tenant"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  move tenant_moves%ROWTYPE;
  changed record;
BEGIN
  IF TG_OP = 'DELETE' THEN changed := OLD; ELSE changed := NEW; END IF;
  -- These rows only change their partition. If they were left out, they would be lost with their week.
  IF current_setting('parlance.dropping_week', true) = 'on' THEN
    RETURN changed;
  END IF;
  PERFORM pg_advisory_xact_lock_shared(hashtext('parlance tenant move'), hashtext(TG_ARGV[0]));
  SELECT * INTO move FROM tenant_moves WHERE tenant_id = TG_ARGV[0];
  IF NOT FOUND OR move.state = 'COPYING' OR move.stopped_until <= clock_timestamp() THEN
    RETURN changed;
  END IF;
  IF move.state = 'DRAINING' THEN
    -- Results of attempts are recorded, but none begins.
    IF TG_OP = 'UPDATE' AND starts_with(TG_TABLE_NAME, 'deliveries') THEN
      IF NEW.lease_holder IS NOT NULL AND NEW.lease_holder IS DISTINCT FROM OLD.lease_holder THEN
        RETURN NULL;
      END IF;
    END IF;
    RETURN changed;
  END IF;
  -- The worker's statements concern many tenants, and so do those that write logs and count requests. They leave this one out.
  IF current_setting('application_name') = 'parlance worker' OR starts_with(TG_TABLE_NAME, 'request_') OR TG_TABLE_NAME = 'usage_days' THEN
    RETURN NULL;
  END IF;
  IF TG_TABLE_NAME = 'api_keys' AND TG_OP = 'UPDATE'
    AND to_jsonb(NEW) - '{last_used_at,first_succeeded_at}'::text[] = to_jsonb(OLD) - '{last_used_at,first_succeeded_at}'::text[] THEN
    RETURN NULL;
  END IF;
  -- The code is that of a server that accepts no connections yet: requests get a 503 and are repeated.
  RAISE EXCEPTION 'the tenant % is being moved to another installation', TG_ARGV[0] USING ERRCODE = 'cannot_connect_now';
END $$;

CREATE OR REPLACE FUNCTION "drop_expired_partitions"("at" timestamptz) RETURNS int
  LANGUAGE plpgsql SECURITY DEFINER SET lock_timeout = '200ms' SET enable_seqscan = off AS $$
DECLARE
  expired timestamptz;
  unfinished record;
  kind record;
  lost bigint;
  dropped int := 0;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtext('parlance partitions')) THEN
    RETURN 0;
  END IF;

  -- guard_moving_tenant then lets this transaction save the rows of a tenant that is being moved, too.
  PERFORM set_config('parlance.dropping_week', 'on', true);
  SELECT week INTO expired FROM expired_weeks('request_logs', at) LIMIT 1;
  IF FOUND THEN
    EXECUTE format('DROP TABLE %I', partition_of('request_logs', expired));
    dropped := dropped + 1;
  END IF;

  SELECT week INTO expired FROM expired_weeks('events', at) WHERE is_droppable LIMIT 1;
  IF FOUND THEN
    -- The feed is in the order of transactions, which near the end of the week is not quite that of ids. Cursors older than
    -- that are before all events of later weeks (lib/events/service.sql.ts).
    EXECUTE format('
      INSERT INTO purged_events (tenant_id, environment, id, xact, purged_at)
      SELECT e.tenant_id, e.environment, e.id, e.xact, $2 FROM tenants t CROSS JOIN unnest(enum_range(NULL::"Environment")) AS n (environment)
      CROSS JOIN LATERAL (SELECT * FROM %I e WHERE e.tenant_id = t.id AND e.environment = n.environment AND e.id >= $1 OFFSET 0) AS e
      ON CONFLICT DO NOTHING', partition_of('events', expired))
      USING 'evt_' || ulid_time(expired + interval '168 hours' - interval '20 minutes'), at;

    LOCK TABLE events, deliveries, delivery_attempts IN ACCESS EXCLUSIVE MODE;
    SELECT array_agg(u.tenant_id) AS tenant_ids, array_agg(u.environment) AS environments, array_agg(u.id) AS ids, array_agg(u.event_id) AS event_ids
      INTO unfinished FROM unfinished_deliveries(expired, at) AS u;
    -- A user may have resumed many while the lock was awaited. The week is then no longer droppable.
    IF cardinality(unfinished.ids) > 1000 THEN
      RETURN dropped;
    END IF;
    EXECUTE format('ALTER TABLE events DETACH PARTITION %I', partition_of('events', expired));
    EXECUTE format('ALTER TABLE deliveries DETACH PARTITION %I', partition_of('deliveries', expired));
    EXECUTE format('ALTER TABLE delivery_attempts DETACH PARTITION %I', partition_of('delivery_attempts', expired));
    FOR kind IN
      SELECT * FROM (VALUES ('events', 'id', unfinished.event_ids), ('deliveries', 'id', unfinished.ids),
        ('delivery_attempts', 'delivery_id', unfinished.ids)) AS t (name, key, ids)
    LOOP
      EXECUTE format('
        WITH needed AS (
          SELECT row.* FROM (SELECT DISTINCT * FROM unnest($1, $2, $3) AS u (tenant_id, environment, id)) u
          JOIN %1$I row ON row.tenant_id = u.tenant_id AND row.environment = u.environment AND row.%2$I = u.id
        ),
        moved AS (INSERT INTO %3$I SELECT * FROM needed RETURNING 1)
        SELECT (SELECT count(*) FROM needed) - (SELECT count(*) FROM moved)', partition_of(kind.name, expired), kind.key, kind.name)
        INTO lost USING unfinished.tenant_ids, unfinished.environments, kind.ids;
      -- A trigger can leave out a row without an error.
      IF lost > 0 THEN
        RAISE EXCEPTION 'rows of % are still needed and were not moved: %', partition_of(kind.name, expired), lost;
      END IF;
    END LOOP;
    EXECUTE format('DROP TABLE %I, %I, %I', partition_of('delivery_attempts', expired), partition_of('deliveries', expired), partition_of('events', expired));
    dropped := dropped + 1;
  END IF;
  RETURN dropped;
END $$;

-- A replaced function keeps its owner and privileges, but not this setting.
DO $$ BEGIN
  EXECUTE format('ALTER FUNCTION drop_expired_partitions SET search_path = %I, pg_temp', current_schema());
END $$;
