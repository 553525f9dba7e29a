-- Changes of one app that rewrite the same rows keep out of each other's way: a merge does not begin beside a change of zone, and a request
-- for erasure made while its app is being merged goes to the target with everything else.

-- As before, and 'zone_change_open' where one of the apps changes its zone: its days would be built for a zone whose events still arrive.
ALTER FUNCTION begin_app_merge(uuid, uuid) RENAME TO begin_app_merge_in_one_zone;
CREATE FUNCTION begin_app_merge(source uuid, target uuid) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    -- Changes of zone begin and end under this lock too, so what is read here stays true until the merge has begun.
    PERFORM pg_advisory_xact_lock(hashtext('foreground store'));
    IF source <> target AND EXISTS (
        SELECT FROM zone_changes c JOIN apps a ON a.app_no = c.app_no WHERE a.app_id IN (source, target))
    THEN
        RETURN 'zone_change_open';
    END IF;
    RETURN begin_app_merge_in_one_zone(source, target);
END
$$;

-- As before, but requests for erasure that came to the source of a merge in the last moment are moved and not deleted.
CREATE OR REPLACE FUNCTION delete_app_rows(number integer, row_max integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    place regclass;
    deleted integer;
    state text := (SELECT status FROM apps WHERE app_no = number);
BEGIN
    IF state IS DISTINCT FROM 'deleting' AND state IS DISTINCT FROM 'merging' THEN
        RAISE EXCEPTION 'this app is not to go' USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
    IF state = 'merging' AND EXISTS (SELECT FROM events WHERE app_no = number) THEN
        RAISE EXCEPTION 'this app has events that are not moved' USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
    FOR place IN
        SELECT c.oid::regclass FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
        WHERE a.attname = 'app_no' AND NOT a.attisdropped AND c.relkind = 'r' AND c.oid <> 'apps'::regclass
          AND c.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'apps'::regclass)
          AND NOT (state = 'merging' AND c.oid = 'deletion_requests'::regclass)
        ORDER BY NOT c.relispartition, c.relname
    LOOP
        EXECUTE format(
            'DELETE FROM %s WHERE ctid = ANY(ARRAY(SELECT ctid FROM %s WHERE app_no = $1 LIMIT $2))', place, place)
        USING number, row_max;
        GET DIAGNOSTICS deleted = ROW_COUNT;
        IF deleted > 0 THEN
            RETURN deleted;
        END IF;
    END LOOP;
    RETURN 0;
END
$$;

CREATE OR REPLACE FUNCTION finish_app_change(number integer) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    -- Whoever makes a request for the app waits for this lock, or is waited for.
    state text := (SELECT status FROM apps WHERE app_no = number FOR UPDATE);
    target_no integer;
BEGIN
    IF state IS DISTINCT FROM 'deleting' AND state IS DISTINCT FROM 'merging' THEN
        RAISE EXCEPTION 'this app is not to go' USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
    IF EXISTS (SELECT FROM events WHERE app_no = number) THEN
        RAISE EXCEPTION 'this app has events' USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
    SELECT target_app_no INTO target_no FROM app_merges WHERE source_app_no = number AND status = 'running';
    IF target_no IS NOT NULL THEN
        WHILE repoint_rows('deletion_requests'::regclass, number, target_no, 1000) > 0 LOOP
        END LOOP;
    END IF;
    UPDATE app_merges SET status = 'done', finished_at = now(), error = NULL WHERE source_app_no = number;
    UPDATE app_deletions SET status = 'done', finished_at = now(), error = NULL WHERE deleted_app_no = number;
    DELETE FROM apps WHERE app_no = number;
END
$$;

DO $$
DECLARE
    own regprocedure;
BEGIN
    FOR own IN
        SELECT oid::regprocedure FROM pg_proc
        WHERE pronamespace = current_schema()::regnamespace
          AND proname IN ('begin_app_merge', 'delete_app_rows', 'finish_app_change')
    LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', own, current_schema());
        EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', own);
    END LOOP;
END
$$;
REVOKE EXECUTE ON FUNCTION begin_app_merge_in_one_zone(uuid, uuid) FROM foreground_console;
GRANT EXECUTE ON FUNCTION begin_app_merge(uuid, uuid) TO foreground_console;
