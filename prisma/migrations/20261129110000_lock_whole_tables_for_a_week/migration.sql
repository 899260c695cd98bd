-- A row that had been assigned to the default partition was rejected if its week was attached meanwhile.
CREATE OR REPLACE FUNCTION "create_partitions"("first" timestamptz, "last" timestamptz) RETURNS int
  LANGUAGE plpgsql SECURITY DEFINER SET lock_timeout = '200ms' AS $$
DECLARE
  week timestamptz;
  parent record;
  leaf text;
  rest text;
  granted record;
  created int := 0;
BEGIN
  FOR week IN SELECT generate_series(date_trunc('week', first, 'UTC'), last, interval '168 hours') LOOP
    CONTINUE WHEN to_regclass(partition_of('events', week)) IS NOT NULL;
    EXIT WHEN NOT pg_try_advisory_xact_lock(hashtext('parlance partitions'));
    -- Another process may have created the week and released the lock in the meantime.
    CONTINUE WHEN to_regclass(partition_of('events', week)) IS NOT NULL;
    BEGIN
      FOR parent IN
        SELECT name, key, id_prefix || ulid_time(week) AS lower, id_prefix || ulid_time(week + interval '168 hours') AS upper, fillfactor
        FROM (VALUES ('events', 'id', 'evt_', 100), ('deliveries', 'id', 'dlv_', 50),
          ('delivery_attempts', 'delivery_id', 'dlv_', 100), ('request_logs', 'id', 'req_', 100)) AS t (name, key, id_prefix, fillfactor)
      LOOP
        leaf := partition_of(parent.name, week);
        rest := parent.name || '_default';
        EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING STORAGE) WITH (fillfactor = %s)', leaf, parent.name, parent.fillfactor);
        -- With these locks, no other transaction can be changing the rows that move, or have chosen the default partition for a
        -- row of the week, which PostgreSQL would then reject.
        EXECUTE format('LOCK TABLE ONLY %I, %I IN ACCESS EXCLUSIVE MODE', parent.name, rest);
        EXECUTE format('
          WITH moved AS (DELETE FROM %1$I WHERE ctid = ANY (ARRAY(SELECT ctid FROM %1$I WHERE %2$I >= %3$L AND %2$I < %4$L LIMIT 1000)) RETURNING *)
          INSERT INTO %5$I SELECT * FROM moved', rest, parent.key, parent.lower, parent.upper, leaf);
        EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', parent.name, leaf, parent.lower, parent.upper);
        -- Statements on the parent need no privileges on a partition, but ANALYZE does.
        FOR granted IN
          SELECT grantee::regrole AS role, string_agg(privilege_type, ', ') AS privileges FROM pg_class, aclexplode(relacl)
          WHERE oid = parent.name::regclass AND grantee NOT IN (0, relowner) GROUP BY grantee
        LOOP
          EXECUTE format('GRANT %s ON %I TO %s', granted.privileges, leaf, granted.role);
        END LOOP;
      END LOOP;
      created := created + 1;
    EXCEPTION WHEN check_violation THEN
      NULL; -- More than 1,000 rows of the week are in a default partition.
    END;
  END LOOP;
  RETURN created;
END $$;

-- A replaced function keeps its owner and privileges, but not this setting.
DO $$ BEGIN
  EXECUTE format('ALTER FUNCTION create_partitions SET search_path = %I, pg_temp', current_schema());
END $$;
