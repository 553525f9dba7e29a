-- Requests to erase a person. The reader, the console and fgctl make them, the aggregator fulfils them.
CREATE TABLE deletion_requests (
    request_id uuid PRIMARY KEY,
    app_no integer NOT NULL REFERENCES apps (app_no) ON DELETE CASCADE,
    subject_type text NOT NULL CHECK (subject_type IN ('user', 'install')),
    -- Whom, in plain, only for as long as somebody has still to look for it: gone once the request is done.
    subject_value text COLLATE "C",
    -- The same with the erasure key; written by the aggregator, because whoever asks does not know the key.
    subject_hash bytea,
    status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'running', 'done', 'failed')),
    source text NOT NULL CHECK (source IN ('api', 'console', 'fgctl', 'ledger')),
    requested_at timestamptz NOT NULL,
    started_at timestamptz,
    completed_at timestamptz,
    -- Attempts that failed.
    attempts integer NOT NULL DEFAULT 0,
    next_attempt_at timestamptz NOT NULL,
    -- The latest receipt among what was erased: the end of the request must not lie before it.
    received_last timestamptz,
    -- Why the last attempt failed: a code, never a value.
    error text,
    CHECK (subject_value IS NOT NULL OR status IN ('done', 'failed'))
);
-- At most one open request for a subject: asking again finds it.
CREATE UNIQUE INDEX deletion_requests_open ON deletion_requests (app_no, subject_type, subject_value)
    WHERE status IN ('pending', 'running');
CREATE INDEX deletion_requests_due ON deletion_requests (next_attempt_at) WHERE status IN ('pending', 'running');
CREATE INDEX deletion_requests_by_app ON deletion_requests (app_no, requested_at);

CREATE FUNCTION deletion_requested() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NOTIFY foreground_erasure;
    RETURN NULL;
END
$$;
CREATE TRIGGER deletion_requested AFTER INSERT ON deletion_requests
    FOR EACH STATEMENT EXECUTE FUNCTION deletion_requested();

-- What must not be stored again. An event is suppressed when it meets a row and was received until finished_at or happened before
-- requested_at. Rows carry keyed hashes of kind and value, without the app, so that merging apps can move them by app_no.
CREATE TABLE suppressions (
    app_no integer NOT NULL REFERENCES apps (app_no) ON DELETE CASCADE,
    -- install_anonymous: only the events of an install that name nobody, in one environment.
    kind text NOT NULL CHECK (kind IN ('user', 'install', 'install_anonymous')),
    subject_hash bytea NOT NULL,
    request_id uuid NOT NULL,
    requested_at timestamptz NOT NULL,
    -- infinity while the request runs.
    finished_at timestamptz NOT NULL,
    -- False for an install that was found to be the person's only when a late event came: what is stored of it has still to be looked for,
    -- and for that long the row names it.
    swept boolean NOT NULL,
    sweep_environment smallint,
    sweep_install_id uuid,
    PRIMARY KEY (app_no, kind, subject_hash, request_id),
    CHECK (swept = (sweep_install_id IS NULL) AND swept = (sweep_environment IS NULL))
);
CREATE INDEX suppressions_by_request ON suppressions (request_id);
CREATE INDEX suppressions_by_end ON suppressions (finished_at);
CREATE INDEX suppressions_unswept ON suppressions (app_no) WHERE NOT swept;
-- Which times an app's rules reach at all. Rules for anonymous events have the times of their request's own rule.
CREATE INDEX suppressions_windows ON suppressions (app_no, finished_at, requested_at) WHERE kind <> 'install_anonymous';

-- Tells whether the key of the hashes is still the one they were made with.
CREATE TABLE erasure_key (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    fingerprint bytea NOT NULL
);

-- Erasing an install needs its users; the primary key only finds a user's installs.
CREATE INDEX user_installs_by_install ON user_installs (app_no, environment, install_no);

GRANT SELECT, INSERT ON deletion_requests TO foreground_reader, foreground_console;
GRANT SELECT, UPDATE ON deletion_requests TO foreground_aggregator;
GRANT SELECT, INSERT, UPDATE, DELETE ON suppressions TO foreground_aggregator;
GRANT SELECT, INSERT ON erasure_key TO foreground_aggregator;
-- Payloads that name an erased person are emptied.
GRANT UPDATE ON set_aside_messages TO foreground_aggregator;
