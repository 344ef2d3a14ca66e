-- What was kept of rollouts that ended long ago may go; their rows stay. pruned_at is when that was decided, and from then on
-- nothing brings such a rollout back; pruning is true until everything has gone. history_base is what the rest of the chain of
-- hashes begins with: the hash of the last row that went (invariant G2).
ALTER TABLE rollout
    ADD COLUMN pruned_at timestamptz,
    ADD COLUMN pruning boolean NOT NULL DEFAULT false,
    ADD COLUMN history_base text NOT NULL DEFAULT 'genesis';
CREATE INDEX rollout_pruning ON rollout (finished_at) WHERE pruning;
CREATE INDEX rollout_whole ON rollout (finished_at) WHERE finished_at IS NOT NULL AND pruned_at IS NULL;

-- Which rollouts need which contents. Contents from before this table have no rows here, hence they stay for good.
CREATE TABLE content_of_rollout (
    rollout_id uuid NOT NULL REFERENCES rollout (id),
    digest     text NOT NULL REFERENCES content (digest),
    PRIMARY KEY (rollout_id, digest)
);
CREATE INDEX content_of_rollout_digest ON content_of_rollout (digest);
ALTER TABLE content ADD COLUMN stays boolean NOT NULL DEFAULT true;
ALTER TABLE content ALTER COLUMN stays SET DEFAULT false;

-- Rows of history never change. They go with their rollout's, by a transaction that says so, and in no other way.
CREATE FUNCTION history_goes_by_retention() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND current_setting('drover.retention', true) = OLD.rollout_id::text
        AND (SELECT pruning FROM coordinator.rollout WHERE id = OLD.rollout_id) THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'history is append-only';
END $$;
DROP TRIGGER history_append_only ON history;
CREATE TRIGGER history_append_only BEFORE UPDATE OR DELETE ON history
    FOR EACH ROW EXECUTE FUNCTION history_goes_by_retention();
