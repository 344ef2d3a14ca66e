-- Several programs of one chain, upgraded one after the other. The group owns the chain's claim; its components are rollouts
-- with group_id and component_index, steered by operator requests alone.
CREATE TABLE rollout_group (
    id               uuid PRIMARY KEY,
    chain_profile_id text NOT NULL,
    failure_policy   text NOT NULL CHECK (failure_policy IN ('partial_ok', 'rollback_all', 'manual')),
    component_order  jsonb NOT NULL,
    desired_versions jsonb NOT NULL,
    strategy         text NOT NULL,
    spec             jsonb NOT NULL,
    state            jsonb NOT NULL,
    status           text GENERATED ALWAYS AS (state ->> 'status') STORED,
    step             bigint NOT NULL DEFAULT 0,
    skipped          int[] NOT NULL DEFAULT '{}',
    revision         bigint NOT NULL DEFAULT 1,
    epoch            bigint NOT NULL DEFAULT 0,
    history_head     text NOT NULL,
    created_by       text NOT NULL,
    created_at       timestamptz NOT NULL DEFAULT now(),
    started_at       timestamptz,
    finished_at      timestamptz
);
CREATE INDEX rollout_group_newest ON rollout_group (created_at DESC, id);
CREATE UNIQUE INDEX rollout_of_group ON rollout (group_id, component_index) WHERE group_id IS NOT NULL;

-- One row for each move of a group; one hash chain per group (invariants G1, G2).
CREATE TABLE group_history (
    seq         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    group_id    uuid NOT NULL REFERENCES rollout_group (id),
    at          timestamptz NOT NULL,
    epoch       bigint NOT NULL,
    actor       text NOT NULL,
    subject     text NOT NULL,
    from_status text NOT NULL,
    to_status   text NOT NULL,
    code        text NOT NULL,
    sentence    text NOT NULL,
    prev_hash   text NOT NULL,
    hash        text NOT NULL
);
CREATE INDEX group_history_of_group ON group_history (group_id, seq DESC);
CREATE TRIGGER group_history_append_only BEFORE UPDATE OR DELETE ON group_history
    FOR EACH ROW EXECUTE FUNCTION history_is_append_only();

CREATE TABLE group_request (
    id               uuid PRIMARY KEY,
    group_id         uuid NOT NULL REFERENCES rollout_group (id),
    actor            text NOT NULL,
    idempotency_key  text NOT NULL,
    kind             text NOT NULL,
    acknowledged     int NOT NULL DEFAULT 0,
    reason           text NOT NULL,
    created_at       timestamptz NOT NULL DEFAULT now(),
    state            text NOT NULL DEFAULT 'pending',
    refusal_code     text NOT NULL DEFAULT '',
    refusal_sentence text NOT NULL DEFAULT '',
    decided_at       timestamptz,
    UNIQUE (actor, idempotency_key)
);
CREATE INDEX group_request_pending ON group_request (group_id, created_at) WHERE state = 'pending';

-- Makes a repeated creation safe.
CREATE TABLE group_creation_key (
    actor           text NOT NULL,
    idempotency_key text NOT NULL,
    request_digest  text NOT NULL,
    group_id        uuid NOT NULL REFERENCES rollout_group (id),
    PRIMARY KEY (actor, idempotency_key)
);

-- The last line behind the planner: only the moves of the state machine, and epochs never decrease (B1).
CREATE FUNCTION rollout_group_moves_legally() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    was text := OLD.state ->> 'status';
    becomes text := NEW.state ->> 'status';
BEGIN
    IF NEW.epoch < OLD.epoch THEN
        RAISE EXCEPTION 'epoch % may not write after epoch %', NEW.epoch, OLD.epoch;
    END IF;
    IF was <> becomes AND NOT (was, becomes) IN (
        ('pending', 'running'), ('pending', 'cancelling'),
        ('running', 'paused'), ('running', 'cancelling'), ('running', 'rolling_back'),
        ('running', 'completed'), ('running', 'partial'), ('running', 'failed'),
        ('paused', 'running'), ('paused', 'rolling_back'), ('paused', 'cancelling'),
        ('cancelling', 'cancelled'), ('cancelling', 'partial'), ('cancelling', 'failed'), ('cancelling', 'rolling_back'),
        ('rolling_back', 'paused'), ('rolling_back', 'rolled_back'), ('rolling_back', 'failed'),
        ('completed', 'rolling_back'), ('partial', 'rolling_back'), ('failed', 'rolling_back'),
        ('cancelled', 'rolling_back')) THEN
        RAISE EXCEPTION 'a rollout group does not move from % to %', was, becomes;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER rollout_group_moves BEFORE UPDATE ON rollout_group
    FOR EACH ROW EXECUTE FUNCTION rollout_group_moves_legally();

CREATE FUNCTION group_request_wakes_leader() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('drover_request', NEW.group_id::text); -- names no rollout, so the leader's own loop looks
    RETURN NEW;
END $$;
CREATE TRIGGER group_request_wakes AFTER INSERT ON group_request
    FOR EACH ROW EXECUTE FUNCTION group_request_wakes_leader();
