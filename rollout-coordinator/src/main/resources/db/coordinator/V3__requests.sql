-- What operators ask of nodes: decided and carried out by the leader's fleet loop (rule R4).
CREATE TABLE node_request (
    id               uuid PRIMARY KEY,
    node_id          text NOT NULL,
    actor            text NOT NULL,
    idempotency_key  text NOT NULL,
    kind             text NOT NULL,
    reason           text NOT NULL,
    created_at       timestamptz NOT NULL DEFAULT now(),
    attempt          bigint NOT NULL DEFAULT 0, -- allotted to a clear; 0 before
    state            text NOT NULL DEFAULT 'pending',
    refusal_code     text NOT NULL DEFAULT '',
    refusal_sentence text NOT NULL DEFAULT '',
    decided_at       timestamptz,
    UNIQUE (actor, idempotency_key)
);
CREATE INDEX node_request_pending ON node_request (created_at) WHERE state = 'pending';
CREATE INDEX node_request_of_node ON node_request (node_id, created_at DESC);

-- A clear is an attempt of the node that belongs to no rollout.
ALTER TABLE node_attempt ALTER COLUMN rollout_id DROP NOT NULL;

CREATE FUNCTION node_request_wakes_leader() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('drover_request', NEW.id::text); -- names no rollout, so the fleet loop looks
    RETURN NEW;
END $$;
CREATE TRIGGER node_request_wakes AFTER INSERT ON node_request
    FOR EACH ROW EXECUTE FUNCTION node_request_wakes_leader();

-- Who took the two decisions that let a rollout go on where it would have waited (invariants A6, A9).
ALTER TABLE rollout
    ADD COLUMN forced boolean NOT NULL DEFAULT false,
    ADD COLUMN forced_by text NOT NULL DEFAULT '',
    ADD COLUMN forced_at timestamptz,
    ADD COLUMN approved_by text NOT NULL DEFAULT '',
    ADD COLUMN approved_at timestamptz;
