-- From when on raw events are kept; always the first instant of a month in UTC, and it only moves forward.
--
-- Stores read it inside their transactions, so once it has moved under the store's barrier no event before it is stored again.
CREATE TABLE retention_horizon (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    kept_from timestamptz NOT NULL
);
INSERT INTO retention_horizon (kept_from) VALUES ('1970-01-01 00:00:00+00');

-- Days whose raw events and block are gone: counts only, no number of anybody. They are kept for ever and never made again.
--
-- One row for the whole day (dimension '') and one for each value of each dimension; an absent value is NULL. The median duration is not
-- kept: it cannot be worked out from counts, nor be joined for longer ranges. People and installs are NULL where two apps were merged
-- that both had the day: distinct people cannot be added.
CREATE TABLE day_totals (
    app_no integer NOT NULL REFERENCES apps (app_no) ON DELETE CASCADE,
    environment smallint NOT NULL,
    day date NOT NULL,
    dimension text NOT NULL CHECK (dimension IN (
        '', 'platform', 'os_name', 'os_version', 'app_version', 'device_model', 'device_type', 'country', 'city', 'locale')),
    value text,
    active_persons integer,
    active_installs integer,
    new_persons integer,
    new_installs integer,
    sessions integer NOT NULL,
    sessions_ended integer NOT NULL,
    duration_ms_sum bigint NOT NULL,
    -- The local day in UTC, end exclusive, and the zone that cut it.
    timezone text NOT NULL,
    first_at timestamptz NOT NULL,
    end_at timestamptz NOT NULL,
    frozen_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE NULLS NOT DISTINCT (app_no, environment, day, dimension, value)
);

-- Finds the links of installs that are pruned.
CREATE INDEX IF NOT EXISTS user_installs_by_install ON user_installs (app_no, environment, install_no);

-- Drops the partition of the month (UTC) that holds `month`; false when there is none.
--
-- SECURITY DEFINER: only the owner of a table may drop its partitions. It refuses what is younger than 25 months whatever it is told, and
-- months whose days are not known to be frozen. Waiting for the table's lock keeps everybody else waiting too, hence the short patience.
CREATE FUNCTION drop_events_partition(month date) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET lock_timeout = '2s' AS $$
DECLARE
    first_day date := date_trunc('month', month::timestamp)::date;
    next_day date := (date_trunc('month', month::timestamp) + interval '1 month')::date;
    partition_name text := 'events_' || to_char(first_day, 'YYYY_MM');
BEGIN
    IF next_day::timestamp > (now() AT TIME ZONE 'UTC') - interval '25 months' THEN
        RAISE EXCEPTION '% is younger than 25 months', partition_name USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF next_day::timestamp AT TIME ZONE 'UTC' > (SELECT kept_from FROM retention_horizon) THEN
        RAISE EXCEPTION 'events of % may still be stored', partition_name USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
    IF NOT EXISTS (
        SELECT FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent = 'events'::regclass AND c.relname = partition_name)
    THEN
        RETURN false;
    END IF;
    EXECUTE format('DROP TABLE %I', partition_name);
    RETURN true;
END
$$;
REVOKE EXECUTE ON FUNCTION drop_events_partition(date) FROM PUBLIC;

-- Whoever calls a function that acts with its owner's rights must not be able to slip a temporary table under its names.
DO $$
DECLARE
    definer regprocedure;
BEGIN
    FOR definer IN
        SELECT oid::regprocedure FROM pg_proc WHERE prosecdef AND pronamespace = current_schema()::regnamespace
    LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', definer, current_schema());
    END LOOP;
END
$$;

GRANT SELECT, UPDATE ON retention_horizon TO foreground_aggregator;
GRANT SELECT, INSERT, UPDATE, DELETE ON day_totals TO foreground_aggregator;
GRANT DELETE ON consumer_offsets TO foreground_aggregator;
GRANT EXECUTE ON FUNCTION drop_events_partition(date) TO foreground_aggregator;
GRANT SELECT ON retention_horizon, day_totals TO foreground_reader, foreground_console;
