-- What nodes dial with. A certificate older than the newest that was shown is a copy's.
ALTER TABLE gateway.node
    ADD COLUMN shown_generation bigint NOT NULL DEFAULT 0, -- the newest that was dialled with
    ADD COLUMN shown_since      timestamptz,               -- when that was dialled with first
    ADD COLUMN barred_at        timestamptz,               -- null: it may connect
    ADD COLUMN barred_why       text CHECK (barred_why IN ('REVOKED', 'COPIED'));

CREATE INDEX node_barred ON gateway.node (barred_at) WHERE barred_at IS NOT NULL;
