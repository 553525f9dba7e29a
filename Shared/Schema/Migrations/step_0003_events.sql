-- Raw events and what they refer to. Environments are separate worlds: every number below is dense within (app, environment).

CREATE TABLE contexts (
    context_no integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    app_no integer NOT NULL REFERENCES apps (app_no) ON DELETE CASCADE,
    -- Digest of the values below, so that one short index finds a context.
    fingerprint uuid NOT NULL,
    platform text NOT NULL,
    os_name text,
    os_version text,
    app_version text,
    app_build text,
    device_model text,
    device_type text,
    locale text,
    country text,
    city text,
    UNIQUE (app_no, fingerprint)
);

-- The last number given out; locked while new numbers are made, so that two aggregators never give the same one.
CREATE TABLE number_counters (
    app_no integer NOT NULL REFERENCES apps (app_no) ON DELETE CASCADE,
    environment smallint NOT NULL,
    install_last integer NOT NULL DEFAULT 0,
    user_last integer NOT NULL DEFAULT 0,
    PRIMARY KEY (app_no, environment)
);

-- "First" is always the smallest (event_time, insert_id), whatever order events arrive in, so a replay changes nothing.
CREATE TABLE installs (
    app_no integer NOT NULL REFERENCES apps (app_no) ON DELETE CASCADE,
    environment smallint NOT NULL,
    install_id uuid NOT NULL,
    install_no integer NOT NULL,
    first_at timestamptz,
    first_insert_id uuid,
    first_context_no integer,
    anonymous_first_at timestamptz,
    anonymous_first_insert_id uuid,
    anonymous_first_context_no integer,
    -- The first owner: the user of the earliest event that names one.
    owner_no integer,
    owner_at timestamptz,
    owner_insert_id uuid,
    -- UTC day of the latest event, for retention; a day is fine enough and spares an update for every event.
    last_day date,
    PRIMARY KEY (app_no, environment, install_id),
    UNIQUE (app_no, environment, install_no)
);

CREATE TABLE users (
    app_no integer NOT NULL REFERENCES apps (app_no) ON DELETE CASCADE,
    environment smallint NOT NULL,
    user_id text COLLATE "C" NOT NULL,
    user_no integer NOT NULL,
    first_at timestamptz,
    first_insert_id uuid,
    first_context_no integer,
    last_day date,
    PRIMARY KEY (app_no, environment, user_id),
    UNIQUE (app_no, environment, user_no)
);

-- Every install a user was seen on.
CREATE TABLE user_installs (
    app_no integer NOT NULL REFERENCES apps (app_no) ON DELETE CASCADE,
    environment smallint NOT NULL,
    user_no integer NOT NULL,
    install_no integer NOT NULL,
    PRIMARY KEY (app_no, environment, user_no, install_no)
);

CREATE TABLE events (
    app_no integer NOT NULL,
    environment smallint NOT NULL,
    -- 1 session_start, 2 session_end.
    kind smallint NOT NULL CHECK (kind IN (1, 2)),
    event_time timestamptz NOT NULL,
    received_at timestamptz NOT NULL,
    client_time timestamptz NOT NULL,
    insert_id uuid NOT NULL,
    session_id uuid NOT NULL,
    install_no integer NOT NULL,
    user_no integer,
    duration_ms integer,
    context_no integer NOT NULL
) PARTITION BY RANGE (event_time);
CREATE INDEX events_by_time ON events (app_no, environment, event_time);
CREATE INDEX events_by_install ON events (app_no, environment, install_no, event_time);

-- Makes the partition of the month (UTC) that holds `moment`, unless it is there.
--
-- SECURITY DEFINER: only the owner of a table may add partitions to it. The lock keeps two callers from making the same one;
-- who had to wait for it sees the other's partition in pg_class, but not yet through to_regclass, which asks a cache.
CREATE FUNCTION ensure_events_partition(moment timestamptz) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    first_day date := date_trunc('month', moment AT TIME ZONE 'UTC')::date;
    next_day date := (date_trunc('month', moment AT TIME ZONE 'UTC') + interval '1 month')::date;
    partition_name text := 'events_' || to_char(first_day, 'YYYY_MM');
    home oid := (SELECT relnamespace FROM pg_class WHERE oid = 'events'::regclass);
BEGIN
    IF EXISTS (SELECT FROM pg_class WHERE relname = partition_name AND relnamespace = home) THEN
        RETURN false;
    END IF;
    PERFORM pg_advisory_xact_lock(hashtext('foreground events partition'));
    IF EXISTS (SELECT FROM pg_class WHERE relname = partition_name AND relnamespace = home) THEN
        RETURN false;
    END IF;
    EXECUTE format(
        'CREATE TABLE %I PARTITION OF events FOR VALUES FROM (%L) TO (%L)',
        partition_name, first_day::text || ' 00:00:00+00', next_day::text || ' 00:00:00+00');
    -- Uniqueness cannot be declared on the parent, whose unique keys would have to contain event_time.
    EXECUTE format('CREATE UNIQUE INDEX %I ON %I (app_no, insert_id)', partition_name || '_once', partition_name);
    RETURN true;
END
$$;
REVOKE EXECUTE ON FUNCTION ensure_events_partition(timestamptz) FROM PUBLIC;

-- How far each partition of a topic is stored. Moves only in the transaction that stores what the messages held.
CREATE TABLE consumer_offsets (
    topic text NOT NULL,
    partition integer NOT NULL,
    next_offset bigint NOT NULL,
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (topic, partition)
);

-- Messages that cannot be understood: kept beside, so that they hold nobody up.
CREATE TABLE set_aside_messages (
    topic text NOT NULL,
    partition integer NOT NULL,
    message_offset bigint NOT NULL,
    reason text NOT NULL,
    payload bytea,
    set_aside_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (topic, partition, message_offset)
);

GRANT SELECT, INSERT ON contexts TO foreground_aggregator;
GRANT SELECT, INSERT, UPDATE, DELETE ON number_counters, installs, users, user_installs TO foreground_aggregator;
GRANT SELECT, INSERT, DELETE ON events TO foreground_aggregator;
GRANT SELECT, INSERT, UPDATE ON consumer_offsets TO foreground_aggregator;
GRANT SELECT, INSERT, DELETE ON set_aside_messages TO foreground_aggregator;
GRANT EXECUTE ON FUNCTION ensure_events_partition(timestamptz) TO foreground_aggregator;
GRANT SELECT ON contexts, installs, users, user_installs, events TO foreground_reader, foreground_console;
