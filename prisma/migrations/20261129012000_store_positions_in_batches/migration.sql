-- Drops the oldest expired week of request logs, and that of events, deliveries and attempts. Before it drops events, it stores
-- the positions of the last ones, up to 50,000 in each call, until none is missing. Returns how many of these steps it did.
CREATE OR REPLACE FUNCTION "drop_expired_partitions"("at" timestamptz) RETURNS int
  LANGUAGE plpgsql SECURITY DEFINER SET lock_timeout = '200ms' SET enable_seqscan = off AS $$
DECLARE
  expired timestamptz;
  unfinished record;
  kind record;
  lost bigint;
  stored int;
  done int := 0;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtext('parlance partitions')) THEN
    RETURN 0;
  END IF;

  -- guard_moving_tenant then lets this transaction save the rows of a tenant that is being moved, too.
  PERFORM set_config('parlance.dropping_week', 'on', true);
  SELECT week INTO expired FROM expired_weeks('request_logs', at) LIMIT 1;
  IF FOUND THEN
    EXECUTE format('DROP TABLE %I', partition_of('request_logs', expired));
    done := done + 1;
  END IF;

  SELECT week INTO expired FROM expired_weeks('events', at) WHERE is_droppable LIMIT 1;
  IF FOUND THEN
    -- The feed is in the order of transactions, which near the end of the week is not quite that of ids. Cursors older than
    -- that are before all events of later weeks (lib/events/service.sql.ts).
    EXECUTE format('
      INSERT INTO purged_events (tenant_id, environment, id, xact, purged_at)
      SELECT e.tenant_id, e.environment, e.id, e.xact, $2 FROM tenants t CROSS JOIN unnest(enum_range(NULL::"Environment")) AS n (environment)
      CROSS JOIN LATERAL (SELECT * FROM %I e WHERE e.tenant_id = t.id AND e.environment = n.environment AND e.id >= $1
        AND (SELECT true FROM purged_events p WHERE p.tenant_id = e.tenant_id AND p.environment = e.environment AND p.id = e.id) IS NULL OFFSET 0) AS e
      LIMIT 50000 ON CONFLICT DO NOTHING', partition_of('events', expired))
      USING 'evt_' || ulid_time(expired + interval '168 hours' - interval '20 minutes'), at;
    GET DIAGNOSTICS stored = ROW_COUNT;
    IF stored > 0 THEN
      RETURN done + 1;
    END IF;

    LOCK TABLE events, deliveries, delivery_attempts IN ACCESS EXCLUSIVE MODE;
    SELECT array_agg(u.tenant_id) AS tenant_ids, array_agg(u.environment) AS environments, array_agg(u.id) AS ids, array_agg(u.event_id) AS event_ids
      INTO unfinished FROM unfinished_deliveries(expired, at) AS u;
    -- A user may have resumed many while the lock was awaited. The week is then no longer droppable.
    IF cardinality(unfinished.ids) > 1000 THEN
      RETURN done;
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
    done := done + 1;
  END IF;
  RETURN done;
END $$;

-- A replaced function keeps its owner and privileges, but not this setting.
DO $$ BEGIN
  EXECUTE format('ALTER FUNCTION drop_expired_partitions SET search_path = %I, pg_temp', current_schema());
END $$;
