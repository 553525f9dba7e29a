-- Days to rebuild. Marks are only ever added and deleted, never updated: storing events must not wait for a closing that runs.
CREATE TABLE dirty_days (
    mark_no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    app_no integer NOT NULL REFERENCES apps (app_no) ON DELETE CASCADE,
    environment smallint NOT NULL,
    day date NOT NULL,
    cause text NOT NULL CHECK (cause IN ('events', 'neighbour', 'erasure', 'zone', 'merge', 'retention')),
    marked_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX dirty_days_by_day ON dirty_days (app_no, environment, day);

-- What reports read: one row per closed local day, rebuilt as a whole from raw events.
CREATE TABLE closed_days (
    app_no integer NOT NULL REFERENCES apps (app_no) ON DELETE CASCADE,
    environment smallint NOT NULL,
    day date NOT NULL,
    revision integer NOT NULL,
    cause text NOT NULL,
    closed_at timestamptz NOT NULL,
    -- The local day in UTC, end exclusive, with the rules it was cut by.
    first_at timestamptz NOT NULL,
    end_at timestamptz NOT NULL,
    timezone text NOT NULL,
    tzdata_version text NOT NULL,
    sessions integer NOT NULL,
    sessions_ended integer NOT NULL,
    duration_ms_sum bigint NOT NULL,
    block bytea NOT NULL,
    -- For each nearby day that shares sessions with this one: a digest of that day's events as this block saw them. When the
    -- nearby day closes with another digest, this one is built again.
    neighbour_days date[] NOT NULL,
    neighbour_digests bigint[] NOT NULL,
    PRIMARY KEY (app_no, environment, day)
);

GRANT SELECT, INSERT, DELETE ON dirty_days TO foreground_aggregator;
GRANT SELECT, INSERT, UPDATE, DELETE ON closed_days TO foreground_aggregator;
GRANT SELECT ON closed_days TO foreground_reader, foreground_console;
-- What waits tells reports how fresh they are, and the console how busy closing is.
GRANT SELECT ON dirty_days TO foreground_reader, foreground_console;
