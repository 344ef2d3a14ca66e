-- The latest preflight of a rollout: asked for by any replica, carried out and finished by the leader. It decides nothing,
-- so it has no history; the next one takes its place.
CREATE TABLE rollout_preflight (
    rollout_id  uuid PRIMARY KEY REFERENCES rollout (id),
    id          uuid NOT NULL,
    asked_by    text NOT NULL,
    asked_at    timestamptz NOT NULL DEFAULT now(),
    finished_at timestamptz,
    nodes       jsonb NOT NULL DEFAULT '[]'
);
CREATE INDEX rollout_preflight_open ON rollout_preflight (asked_at) WHERE finished_at IS NULL;

CREATE FUNCTION preflight_wakes_leader() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('drover_request', NEW.id::text); -- names no rollout, so the leader's own round looks
    RETURN NEW;
END $$;
CREATE TRIGGER preflight_wakes AFTER INSERT OR UPDATE OF id ON rollout_preflight
    FOR EACH ROW EXECUTE FUNCTION preflight_wakes_leader();
