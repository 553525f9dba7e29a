-- New contexts an app brought on a UTC day of receipt, so that their number can be bounded across restarts and instances.
CREATE TABLE context_counts (
    app_no integer NOT NULL REFERENCES apps (app_no) ON DELETE CASCADE,
    day date NOT NULL,
    contexts integer NOT NULL,
    PRIMARY KEY (app_no, day)
);
GRANT SELECT, INSERT, UPDATE, DELETE ON context_counts TO foreground_aggregator;
