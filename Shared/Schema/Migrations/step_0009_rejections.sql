-- What was turned away in the last days, for the Integration page: one row per rejected event or refused batch, without any value of it.
CREATE TABLE rejections (
    app_no integer NOT NULL REFERENCES apps (app_no) ON DELETE CASCADE,
    received_at timestamptz NOT NULL,
    code text NOT NULL,
    field text,
    app_version text,
    platform text,
    insert_id uuid,
    -- Where it came from, so that a replay changes nothing. The time is part of it because offsets begin anew with a topic made anew.
    partition integer NOT NULL,
    message_offset bigint NOT NULL,
    item_index integer NOT NULL,
    PRIMARY KEY (partition, message_offset, item_index, received_at)
);
CREATE INDEX rejections_by_time ON rejections (app_no, received_at);
CREATE INDEX rejections_by_insert_id ON rejections (app_no, insert_id) WHERE insert_id IS NOT NULL;
-- For expiry only: rows arrive in about the order of their time, so a summary of each range of pages is enough.
CREATE INDEX rejections_by_age ON rejections USING brin (received_at) WITH (pages_per_range = 32, autosummarize = on);

GRANT SELECT, INSERT, DELETE ON rejections TO foreground_aggregator;
GRANT SELECT ON rejections TO foreground_reader, foreground_console;
