-- AlterTable
ALTER TABLE "tenants" ADD COLUMN     "moved_to" TEXT;

-- CreateTable
CREATE TABLE "tenant_moves" (
    "tenant_id" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "target_origin" TEXT NOT NULL,
    "forwarded_to" TEXT,
    "started_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "stopped_until" TIMESTAMPTZ(3),

    CONSTRAINT "tenant_moves_pkey" PRIMARY KEY ("tenant_id")
);

-- While a tenant is moved to another installation, the move creates a trigger with this function on each table with its rows, for
-- that tenant only (lib/tenant-move). The argument is the tenant. A transaction that has changed one of its rows holds the shared
-- lock until it ends, so whoever gets the exclusive lock knows that no change is in progress, and later ones see the new state.
CREATE FUNCTION "guard_moving_tenant"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  move tenant_moves%ROWTYPE;
  changed record;
BEGIN
  IF TG_OP = 'DELETE' THEN changed := OLD; ELSE changed := NEW; END IF;
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
