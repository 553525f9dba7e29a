-- Moves when rows that storing remembers may have gone or changed: an erasure, an expiry, a merge. Whoever keeps copies of numbers or
-- first facts drops them when this moved.
CREATE TABLE store_epoch (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    epoch bigint NOT NULL
);
INSERT INTO store_epoch (epoch) VALUES (1);
GRANT SELECT, UPDATE ON store_epoch TO foreground_aggregator;
