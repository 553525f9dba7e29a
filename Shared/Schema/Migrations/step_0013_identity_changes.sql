-- Which installs and users changed, in the order of transactions, so that a copy of an app's people is kept fresh without reading all of
-- them again. A reader remembers the xmin of its snapshot: whatever it could not see then has a transaction id from there on.
CREATE TABLE identity_changes (
    change_no bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    app_no integer NOT NULL REFERENCES apps (app_no) ON DELETE CASCADE,
    environment smallint NOT NULL,
    transaction_id xid8 NOT NULL DEFAULT pg_current_xact_id(),
    changed_at timestamptz NOT NULL DEFAULT now(),
    installs integer[] NOT NULL DEFAULT '{}',
    users integer[] NOT NULL DEFAULT '{}'
);
CREATE INDEX identity_changes_by_transaction ON identity_changes (app_no, environment, transaction_id, change_no);
CREATE INDEX identity_changes_by_age ON identity_changes (changed_at);

-- SECURITY DEFINER: whoever changes an install or user need not be allowed to write here. Nothing is recorded for apps that are going.
CREATE FUNCTION installs_changed() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    INSERT INTO identity_changes (app_no, environment, installs)
    SELECT c.app_no, c.environment, array_agg(c.install_no) FROM changed c
    WHERE EXISTS (SELECT FROM apps a WHERE a.app_no = c.app_no)
    GROUP BY c.app_no, c.environment;
    RETURN NULL;
END
$$;
CREATE FUNCTION users_changed() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    INSERT INTO identity_changes (app_no, environment, users)
    SELECT c.app_no, c.environment, array_agg(c.user_no) FROM changed c
    WHERE EXISTS (SELECT FROM apps a WHERE a.app_no = c.app_no)
    GROUP BY c.app_no, c.environment;
    RETURN NULL;
END
$$;
CREATE TRIGGER installs_inserted AFTER INSERT ON installs REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION installs_changed();
CREATE TRIGGER installs_updated AFTER UPDATE ON installs REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION installs_changed();
CREATE TRIGGER installs_deleted AFTER DELETE ON installs REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION installs_changed();
CREATE TRIGGER users_inserted AFTER INSERT ON users REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION users_changed();
CREATE TRIGGER users_updated AFTER UPDATE ON users REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION users_changed();
CREATE TRIGGER users_deleted AFTER DELETE ON users REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION users_changed();

-- Forgets changes older than a day; a copy that old is read anew. The latest of each app stays: it names the state.
CREATE FUNCTION forget_identity_changes() RETURNS bigint
    LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
    WITH gone AS (
        DELETE FROM identity_changes c WHERE c.change_no IN (
            SELECT o.change_no FROM identity_changes o
            WHERE o.changed_at < now() - interval '1 day' AND EXISTS (
                SELECT FROM identity_changes n
                WHERE n.app_no = o.app_no AND n.environment = o.environment AND n.change_no > o.change_no)
            ORDER BY o.changed_at LIMIT 100000)
        RETURNING 1)
    SELECT count(*) FROM gone
$$;
DO $$
DECLARE
    own regprocedure;
BEGIN
    FOR own IN
        SELECT oid::regprocedure FROM pg_proc
        WHERE pronamespace = current_schema()::regnamespace
          AND proname IN ('installs_changed', 'users_changed', 'forget_identity_changes')
    LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', own, current_schema());
    END LOOP;
END
$$;
REVOKE EXECUTE ON FUNCTION forget_identity_changes() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION forget_identity_changes() TO foreground_aggregator;
GRANT SELECT ON identity_changes TO foreground_reader, foreground_console;
