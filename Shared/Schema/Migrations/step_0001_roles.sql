-- One role per service, each allowed only what that service does. Roles belong to the whole cluster, so another database of
-- the same cluster may already have made them. Passwords are set by `fgctl migrate` from its settings, never here.
DO $$
DECLARE
    role_name text;
BEGIN
    FOREACH role_name IN ARRAY ARRAY['foreground_ingest', 'foreground_aggregator', 'foreground_reader', 'foreground_console']
    LOOP
        BEGIN
            EXECUTE format('CREATE ROLE %I LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOINHERIT', role_name);
        EXCEPTION
            -- unique_violation: two databases of one cluster migrated at the same moment.
            WHEN duplicate_object OR unique_violation THEN NULL;
        END;
        EXECUTE format('GRANT USAGE ON SCHEMA %I TO %I', current_schema(), role_name);
    END LOOP;
END
$$;
