-- A change of an app's zone builds all its days anew beside the old ones and then switches at once. Days and marks carry the number of the
-- zone they were cut by; a number is never used twice, so nothing late can be taken for another zone's.
ALTER TABLE apps ADD COLUMN zone_version integer NOT NULL DEFAULT 1,
                 ADD COLUMN zone_version_last integer NOT NULL DEFAULT 1;
ALTER TABLE closed_days ADD COLUMN zone_version integer NOT NULL DEFAULT 1;
ALTER TABLE closed_days DROP CONSTRAINT closed_days_pkey;
ALTER TABLE closed_days ADD PRIMARY KEY (app_no, environment, zone_version, day);
ALTER TABLE dirty_days ADD COLUMN zone_version integer NOT NULL DEFAULT 1;
DROP INDEX dirty_days_by_day;
CREATE INDEX dirty_days_by_day ON dirty_days (app_no, environment, zone_version, day);

CREATE TABLE zone_changes (
    app_no integer PRIMARY KEY REFERENCES apps (app_no) ON DELETE CASCADE,
    timezone text NOT NULL,
    zone_version integer NOT NULL,
    requested_at timestamptz NOT NULL DEFAULT now(),
    -- How many days had to be built when the change was asked for.
    days_total integer NOT NULL DEFAULT 0
);
-- Stores mark days of both zones while a change is open, so they have to hear of it.
CREATE TRIGGER zone_changes_changed AFTER INSERT OR UPDATE OR DELETE ON zone_changes
    FOR EACH STATEMENT EXECUTE FUNCTION registry_changed();

GRANT SELECT, INSERT, UPDATE, DELETE ON zone_changes TO foreground_aggregator;
GRANT UPDATE (timezone, zone_version, zone_version_last) ON apps TO foreground_aggregator;
GRANT SELECT ON zone_changes TO foreground_reader;
-- The console asks for changes.
GRANT SELECT, INSERT, UPDATE, DELETE ON zone_changes TO foreground_console;
GRANT INSERT, DELETE ON dirty_days TO foreground_console;
GRANT DELETE ON closed_days TO foreground_console;
GRANT SELECT, UPDATE ON store_epoch TO foreground_console;
GRANT UPDATE (zone_version_last) ON apps TO foreground_console;
