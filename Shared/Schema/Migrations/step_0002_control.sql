-- Apps and keys: written by the control plane, read by every service.
CREATE TABLE apps (
    app_id uuid PRIMARY KEY,
    -- The number other tables refer to: four bytes instead of sixteen in each event.
    app_no integer GENERATED ALWAYS AS IDENTITY UNIQUE,
    name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 200),
    timezone text NOT NULL,
    platforms text[] NOT NULL CHECK (cardinality(platforms) > 0),
    status text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'archived')),
    created_at timestamptz NOT NULL DEFAULT now(),
    archived_at timestamptz
);

-- Write keys are public by nature (every copy of an app carries one) and the Integration page shows them, so they are kept as they are.
CREATE TABLE write_keys (
    key_id uuid PRIMARY KEY,
    app_id uuid NOT NULL REFERENCES apps ON DELETE CASCADE,
    platform text,
    key text NOT NULL UNIQUE,
    created_at timestamptz NOT NULL DEFAULT now(),
    revoked_at timestamptz
);
CREATE INDEX write_keys_app ON write_keys (app_id);

-- Secret keys: only a hash and enough of the beginning to recognise one.
CREATE TABLE api_keys (
    key_id uuid PRIMARY KEY,
    key_hash bytea NOT NULL UNIQUE,
    prefix text NOT NULL,
    scopes text[] NOT NULL CHECK (cardinality(scopes) > 0 AND scopes <@ ARRAY['read', 'delete']),
    app_id uuid REFERENCES apps ON DELETE CASCADE,
    created_at timestamptz NOT NULL DEFAULT now(),
    revoked_at timestamptz
);

-- Moves with every change of apps and write keys, so that a cached copy knows when it is old.
CREATE TABLE registry_version (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    version bigint NOT NULL
);
INSERT INTO registry_version (version) VALUES (1);

-- SECURITY DEFINER: whoever changes an app or key need not be allowed to write the version.
CREATE FUNCTION registry_changed() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    UPDATE registry_version SET version = version + 1;
    NOTIFY foreground_registry;
    RETURN NULL;
END
$$;
CREATE TRIGGER apps_changed AFTER INSERT OR UPDATE OR DELETE ON apps
    FOR EACH STATEMENT EXECUTE FUNCTION registry_changed();
CREATE TRIGGER write_keys_changed AFTER INSERT OR UPDATE OR DELETE ON write_keys
    FOR EACH STATEMENT EXECUTE FUNCTION registry_changed();

GRANT SELECT ON apps TO foreground_ingest, foreground_aggregator, foreground_reader, foreground_console;
GRANT SELECT ON write_keys, registry_version TO foreground_ingest;
GRANT SELECT ON registry_version TO foreground_aggregator, foreground_reader, foreground_console;
GRANT SELECT ON api_keys TO foreground_reader, foreground_console;
