-- The history of a group goes when that of all its components has gone (V14). history_base is what the rest of its chain of
-- hashes begins with (invariant G2).
ALTER TABLE rollout_group
    ADD COLUMN pruned_at timestamptz,
    ADD COLUMN history_base text NOT NULL DEFAULT 'genesis';

CREATE FUNCTION group_history_goes_by_retention() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND current_setting('drover.retention', true) = OLD.group_id::text
        AND (SELECT pruned_at IS NOT NULL FROM coordinator.rollout_group WHERE id = OLD.group_id) THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'history is append-only';
END $$;
DROP TRIGGER group_history_append_only ON group_history;
CREATE TRIGGER group_history_append_only BEFORE UPDATE OR DELETE ON group_history
    FOR EACH ROW EXECUTE FUNCTION group_history_goes_by_retention();
