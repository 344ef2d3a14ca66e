-- What was done with keys: made, granted, granted anew, revoked. One chain of hashes for all of them, so that a key that is
-- taken out with everything that was told of it shows as well (invariant G2). What was done before this table is not in it.
CREATE TABLE key_history (
    seq         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key_id      text NOT NULL REFERENCES api_key (id),
    at          timestamptz NOT NULL,
    actor       text NOT NULL,
    from_status text NOT NULL,
    to_status   text NOT NULL,
    code        text NOT NULL,
    sentence    text NOT NULL,
    prev_hash   text NOT NULL,
    hash        text NOT NULL
);
CREATE INDEX key_history_of_key ON key_history (key_id, seq DESC);
CREATE TRIGGER key_history_append_only BEFORE UPDATE OR DELETE ON key_history
    FOR EACH ROW EXECUTE FUNCTION history_is_append_only();

-- The end of the chain; whoever changes a key locks this one row first.
CREATE TABLE key_history_head (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    head     text NOT NULL DEFAULT 'genesis'
);
INSERT INTO key_history_head DEFAULT VALUES;
