-- Which readers live: each key's requests a second are shared between them.
CREATE TABLE reader_instances (
    instance_id uuid PRIMARY KEY,
    seen_at timestamptz NOT NULL
);
GRANT SELECT, INSERT, UPDATE, DELETE ON reader_instances TO foreground_reader;
