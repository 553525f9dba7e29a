-- Which ingest instances live: each app's limit is shared between them.
CREATE TABLE ingest_instances (
    instance_id uuid PRIMARY KEY,
    seen_at timestamptz NOT NULL
);
GRANT SELECT, INSERT, UPDATE, DELETE ON ingest_instances TO foreground_ingest;
