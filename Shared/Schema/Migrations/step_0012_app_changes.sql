-- Merging an app into another one, and deleting an app. Both are begun by one function that refuses or starts, carried on by the aggregator
-- in small transactions, and ended by the deletion of the app's row. Services of the version before see such an app without valid keys.
ALTER TABLE apps DROP CONSTRAINT apps_status_check;
ALTER TABLE apps ADD CONSTRAINT apps_status_check CHECK (status IN ('active', 'archived', 'merging', 'deleting'));

-- Ids under which messages of an app may come besides its own: those of apps that were merged into it.
CREATE TABLE app_aliases (
    source_app_id uuid PRIMARY KEY,
    app_no integer NOT NULL REFERENCES apps (app_no) ON DELETE CASCADE
);
CREATE INDEX app_aliases_by_app ON app_aliases (app_no);

CREATE TABLE app_merges (
    merge_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    source_app_id uuid NOT NULL,
    -- No reference: the source's row is deleted at the end.
    source_app_no integer NOT NULL UNIQUE,
    target_app_no integer NOT NULL REFERENCES apps (app_no) ON DELETE CASCADE,
    status text NOT NULL DEFAULT 'running' CHECK (status IN ('running', 'done')),
    events_moved bigint NOT NULL DEFAULT 0,
    -- Of these, the ones whose insert id the target had already, or that have expired.
    events_dropped bigint NOT NULL DEFAULT 0,
    -- Why the last attempt to go on failed; NULL since one has succeeded.
    error text,
    requested_at timestamptz NOT NULL DEFAULT now(),
    finished_at timestamptz
);

CREATE TABLE app_deletions (
    deletion_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    app_id uuid NOT NULL,
    deleted_app_no integer NOT NULL UNIQUE,
    status text NOT NULL DEFAULT 'running' CHECK (status IN ('running', 'done')),
    rows_deleted bigint NOT NULL DEFAULT 0,
    error text,
    requested_at timestamptz NOT NULL DEFAULT now(),
    finished_at timestamptz
);

-- Whether an erasure waits or runs in one of the apps. Looked up by name, because the table may be younger than this function.
CREATE FUNCTION has_open_erasure(numbers integer[]) RETURNS boolean
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    answer boolean;
BEGIN
    IF to_regclass('deletion_requests') IS NULL THEN
        RETURN false;
    END IF;
    IF EXISTS (
        SELECT FROM pg_attribute WHERE attrelid = to_regclass('deletion_requests') AND attname = 'app_no' AND NOT attisdropped)
    THEN
        EXECUTE 'SELECT EXISTS (SELECT FROM deletion_requests WHERE status IN (''pending'', ''running'') AND app_no = ANY($1))'
        INTO answer USING numbers;
    ELSE
        EXECUTE 'SELECT EXISTS (SELECT FROM deletion_requests r JOIN apps a ON a.app_id = r.app_id '
            'WHERE r.status IN (''pending'', ''running'') AND a.app_no = ANY($1))'
        INTO answer USING numbers;
    END IF;
    RETURN answer;
END
$$;

-- Whether an app is a side of a merge that runs, or is being deleted: nothing else that rewrites its rows may begin.
CREATE FUNCTION app_is_changing(number integer) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
    SELECT EXISTS (SELECT FROM apps WHERE app_no = number AND status IN ('merging', 'deleting'))
        OR EXISTS (SELECT FROM app_merges WHERE status = 'running' AND target_app_no = number)
$$;

-- Gives rows of one table another app, at most `row_max` of them; a row the other app has already stays the other app's. Returns how many
-- rows it took away from the source.
CREATE FUNCTION repoint_rows(place regclass, source_no integer, target_no integer, row_max integer) RETURNS integer
    LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
    chosen tid[];
    one tid;
BEGIN
    EXECUTE format('SELECT array_agg(ctid) FROM (SELECT ctid FROM %s WHERE app_no = $1 LIMIT $2) r', place)
    INTO chosen USING source_no, row_max;
    IF chosen IS NULL THEN
        RETURN 0;
    END IF;
    BEGIN
        EXECUTE format('UPDATE %s SET app_no = $1 WHERE ctid = ANY($2)', place) USING target_no, chosen;
    EXCEPTION WHEN unique_violation THEN
        FOREACH one IN ARRAY chosen LOOP
            BEGIN
                EXECUTE format('UPDATE %s SET app_no = $1 WHERE ctid = $2', place) USING target_no, one;
            EXCEPTION WHEN unique_violation THEN
                EXECUTE format('DELETE FROM %s WHERE ctid = $1', place) USING one;
            END;
        END LOOP;
    END;
    RETURN cardinality(chosen);
END
$$;

-- Begins a merge, or says why not: 'started', 'same_app', 'unknown_source', 'unknown_target', 'source_not_active', 'target_not_active',
-- 'source_busy', 'erasure_open'.
--
-- It takes the store's barrier: batches that run have stored their events under the source, all later ones store them under the target.
CREATE FUNCTION begin_app_merge(source uuid, target uuid) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    s apps%ROWTYPE;
    t apps%ROWTYPE;
    joined text[];
BEGIN
    IF source = target THEN
        RETURN 'same_app';
    END IF;
    PERFORM pg_advisory_xact_lock(hashtext('foreground store'));
    PERFORM FROM apps WHERE app_id IN (source, target) ORDER BY app_no FOR UPDATE;
    SELECT * INTO s FROM apps WHERE app_id = source;
    SELECT * INTO t FROM apps WHERE app_id = target;
    IF s.app_no IS NULL THEN RETURN 'unknown_source'; END IF;
    IF t.app_no IS NULL THEN RETURN 'unknown_target'; END IF;
    IF s.status <> 'active' THEN RETURN 'source_not_active'; END IF;
    IF t.status <> 'active' THEN RETURN 'target_not_active'; END IF;
    IF app_is_changing(s.app_no) THEN RETURN 'source_busy'; END IF;
    IF has_open_erasure(ARRAY[s.app_no, t.app_no]) THEN RETURN 'erasure_open'; END IF;

    UPDATE store_epoch SET epoch = epoch + 1;
    joined := t.platforms || ARRAY(
        SELECT p FROM unnest(s.platforms) WITH ORDINALITY AS own (p, position) WHERE p <> ALL (t.platforms) ORDER BY position);
    UPDATE apps SET platforms = joined WHERE app_id = target;
    UPDATE apps SET status = 'merging' WHERE app_id = source;
    -- The key of any platform stood for the app's only one, which the joined app may not have: written down, so that it stays what it meant.
    IF cardinality(t.platforms) = 1 AND cardinality(joined) > 1 THEN
        UPDATE write_keys SET platform = t.platforms[1] WHERE app_id = target AND platform IS NULL;
    END IF;
    UPDATE write_keys
    SET app_id = target,
        platform = coalesce(platform, CASE WHEN cardinality(s.platforms) = 1 THEN s.platforms[1] END)
    WHERE app_id = source;
    -- A key that saw the source alone must not see the target.
    UPDATE api_keys SET revoked_at = now() WHERE app_id = source AND revoked_at IS NULL;
    UPDATE app_aliases SET app_no = t.app_no WHERE app_no = s.app_no;
    INSERT INTO app_aliases (source_app_id, app_no) VALUES (source, t.app_no);
    -- From now on the source's messages meet the target's rules: what was erased there must stay away here.
    IF to_regclass('suppressions') IS NOT NULL THEN
        WHILE repoint_rows(to_regclass('suppressions'), s.app_no, t.app_no, 1000) > 0 LOOP
        END LOOP;
    END IF;
    INSERT INTO app_merges (source_app_id, source_app_no, target_app_no) VALUES (source, s.app_no, t.app_no);
    RETURN 'started';
END
$$;

-- Begins the deletion of an app, or says why not: 'started', 'unknown_app', 'busy', 'erasure_open'.
CREATE FUNCTION begin_app_deletion(target uuid) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    a apps%ROWTYPE;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('foreground store'));
    SELECT * INTO a FROM apps WHERE app_id = target FOR UPDATE;
    IF a.app_no IS NULL THEN RETURN 'unknown_app'; END IF;
    IF app_is_changing(a.app_no) THEN RETURN 'busy'; END IF;
    IF has_open_erasure(ARRAY[a.app_no]) THEN RETURN 'erasure_open'; END IF;
    UPDATE store_epoch SET epoch = epoch + 1;
    UPDATE apps SET status = 'deleting' WHERE app_id = target;
    UPDATE write_keys SET revoked_at = now() WHERE app_id = target AND revoked_at IS NULL;
    UPDATE api_keys SET revoked_at = now() WHERE app_id = target AND revoked_at IS NULL;
    INSERT INTO app_deletions (app_id, deleted_app_no) VALUES (target, a.app_no);
    RETURN 'started';
END
$$;

-- Moves rows that name the source by its number only, at most `row_max` at once; 0 when none is left.
CREATE FUNCTION repoint_app_rows(source_no integer, row_max integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    target_no integer;
    place text;
    moved integer;
BEGIN
    SELECT target_app_no INTO target_no FROM app_merges WHERE source_app_no = source_no AND status = 'running';
    IF target_no IS NULL THEN
        RAISE EXCEPTION 'no merge of this app runs' USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
    FOREACH place IN ARRAY ARRAY['suppressions', 'rejections', 'deletion_requests'] LOOP
        CONTINUE WHEN NOT EXISTS (
            SELECT FROM pg_attribute WHERE attrelid = to_regclass(place) AND attname = 'app_no' AND NOT attisdropped);
        moved := repoint_rows(to_regclass(place), source_no, target_no, row_max);
        IF moved > 0 THEN
            RETURN moved;
        END IF;
    END LOOP;
    RETURN 0;
END
$$;

-- Adds the frozen days of the source to the target's, at most `day_max` at once; 0 when none is left.
--
-- A day that the target's zone does not count as expired (`kept_from` is its first one) gives way: events of it were moved and are counted there.
-- Where both had the day, people and installs of the values both had become NULL, for distinct people cannot be added; sessions and durations can.
CREATE FUNCTION merge_day_totals(source_no integer, kept_from date, day_max integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    target_no integer;
    chosen record;
    days integer := 0;
BEGIN
    SELECT target_app_no INTO target_no FROM app_merges WHERE source_app_no = source_no AND status = 'running';
    IF target_no IS NULL THEN
        RAISE EXCEPTION 'no merge of this app runs' USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
    DELETE FROM day_totals WHERE app_no = source_no AND day >= kept_from;
    FOR chosen IN
        SELECT DISTINCT environment, day FROM day_totals WHERE app_no = source_no ORDER BY environment, day LIMIT day_max
    LOOP
        UPDATE day_totals t
        SET active_persons = NULL, active_installs = NULL, new_persons = NULL, new_installs = NULL,
            sessions = t.sessions + s.sessions, sessions_ended = t.sessions_ended + s.sessions_ended,
            duration_ms_sum = t.duration_ms_sum + s.duration_ms_sum
        FROM day_totals s
        WHERE s.app_no = source_no AND s.environment = chosen.environment AND s.day = chosen.day
          AND t.app_no = target_no AND t.environment = chosen.environment AND t.day = chosen.day
          AND t.dimension = s.dimension AND t.value IS NOT DISTINCT FROM s.value;
        DELETE FROM day_totals s
        WHERE s.app_no = source_no AND s.environment = chosen.environment AND s.day = chosen.day
          AND EXISTS (
            SELECT FROM day_totals t
            WHERE t.app_no = target_no AND t.environment = chosen.environment AND t.day = chosen.day
              AND t.dimension = s.dimension AND t.value IS NOT DISTINCT FROM s.value);
        UPDATE day_totals SET app_no = target_no
        WHERE app_no = source_no AND environment = chosen.environment AND day = chosen.day;
        days := days + 1;
    END LOOP;
    RETURN days;
END
$$;

-- Deletes rows of an app that goes, at most `row_max` at once; 0 when none is left.
--
-- Every table with a column app_no, whenever it was made; partitions one by one. A source of a merge must have no event left.
CREATE FUNCTION delete_app_rows(number integer, row_max integer) RETURNS integer
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

-- Deletes the row of an app that goes, with whatever was written for it in the last moment, and notes that it is done.
CREATE FUNCTION finish_app_change(number integer) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    state text := (SELECT status FROM apps WHERE app_no = number FOR UPDATE);
BEGIN
    IF state IS DISTINCT FROM 'deleting' AND state IS DISTINCT FROM 'merging' THEN
        RAISE EXCEPTION 'this app is not to go' USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
    IF EXISTS (SELECT FROM events WHERE app_no = number) THEN
        RAISE EXCEPTION 'this app has events' USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
    UPDATE app_merges SET status = 'done', finished_at = now(), error = NULL WHERE source_app_no = number;
    UPDATE app_deletions SET status = 'done', finished_at = now(), error = NULL WHERE deleted_app_no = number;
    DELETE FROM apps WHERE app_no = number;
END
$$;

-- As in the step before: a temporary table must not slip under the names of a function that acts with its owner's rights. And none of these
-- is for everybody: the control plane calls those that begin, the aggregator those that carry on.
DO $$
DECLARE
    own regprocedure;
BEGIN
    FOR own IN
        SELECT oid::regprocedure FROM pg_proc
        WHERE pronamespace = current_schema()::regnamespace
          AND proname IN (
            'has_open_erasure', 'app_is_changing', 'repoint_rows', 'begin_app_merge', 'begin_app_deletion', 'repoint_app_rows',
            'merge_day_totals', 'delete_app_rows', 'finish_app_change')
    LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = %I, pg_temp', own, current_schema());
        EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', own);
    END LOOP;
END
$$;

GRANT EXECUTE ON FUNCTION repoint_app_rows(integer, integer), merge_day_totals(integer, date, integer),
    delete_app_rows(integer, integer), finish_app_change(integer) TO foreground_aggregator;
GRANT EXECUTE ON FUNCTION app_is_changing(integer) TO foreground_aggregator, foreground_reader, foreground_console;
GRANT SELECT ON app_aliases TO foreground_aggregator, foreground_reader, foreground_console;
GRANT SELECT, UPDATE ON app_merges, app_deletions TO foreground_aggregator;
GRANT SELECT ON app_merges, app_deletions TO foreground_console;
