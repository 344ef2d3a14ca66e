-- The coordinator's truth. States are jsonb; what people and indexes need is generated from them or kept beside them.
-- No index stands on a column that a status changes, so that progress is written in place (heap-only updates).

CREATE TABLE leader_epoch (
    id        int PRIMARY KEY DEFAULT 1 CHECK (id = 1),
    epoch     bigint NOT NULL,
    holder    text NOT NULL,
    taken_at  timestamptz NOT NULL DEFAULT now()
);
INSERT INTO leader_epoch (epoch, holder) VALUES (0, 'nobody');

-- One active rollout or group per chain: held from creation to the terminal commit (invariant A2).
CREATE TABLE chain_claim (
    chain_profile_id text PRIMARY KEY,
    owner            uuid NOT NULL,
    claimed_at       timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE content (
    digest text PRIMARY KEY,
    data   bytea NOT NULL
);

CREATE TABLE rollout (
    id                     uuid PRIMARY KEY,
    group_id               uuid,
    component_index        int NOT NULL DEFAULT 0,
    chain_profile_id       text NOT NULL,
    node_type              text NOT NULL,
    binary_name            text NOT NULL,
    source_version         text NOT NULL,
    target_version         text NOT NULL,
    target_binary_url      text NOT NULL,
    target_binary_checksum text NOT NULL,
    strategy               text NOT NULL,
    manifest_content_hash  text NOT NULL,
    spec                   jsonb NOT NULL,
    state                  jsonb NOT NULL,
    status                 text GENERATED ALWAYS AS (state ->> 'status') STORED,
    total_nodes            int NOT NULL,
    succeeded_nodes        int NOT NULL DEFAULT 0,
    failed_nodes           int NOT NULL DEFAULT 0,
    pending_nodes          int NOT NULL,
    skipped_nodes          int NOT NULL DEFAULT 0,
    rolled_back_nodes      int NOT NULL DEFAULT 0,
    acknowledged_failures  int NOT NULL DEFAULT 0,
    accepted_offline       int NOT NULL DEFAULT 0,
    canary_seed            bigint NOT NULL,
    revision               bigint NOT NULL DEFAULT 1,
    epoch                  bigint NOT NULL DEFAULT 0,
    history_head           text NOT NULL,
    trace_id               text NOT NULL,
    created_by             text NOT NULL,
    created_at             timestamptz NOT NULL DEFAULT now(),
    started_at             timestamptz,
    finished_at            timestamptz,
    CHECK (succeeded_nodes + failed_nodes + pending_nodes + skipped_nodes + rolled_back_nodes = total_nodes)
) WITH (fillfactor = 50);
CREATE INDEX rollout_newest ON rollout (created_at DESC, id);
CREATE INDEX rollout_of_chain ON rollout (chain_profile_id, created_at DESC);

CREATE TABLE rollout_batch (
    rollout_id  uuid NOT NULL REFERENCES rollout (id),
    batch_index int NOT NULL,
    canary      boolean NOT NULL,
    phase       text NOT NULL,
    since       timestamptz NOT NULL,
    PRIMARY KEY (rollout_id, batch_index)
);

CREATE TABLE rollout_node (
    id                  uuid NOT NULL DEFAULT gen_random_uuid(),
    rollout_id          uuid NOT NULL REFERENCES rollout (id),
    node_id             text NOT NULL,
    batch_index         int NOT NULL,
    target              jsonb NOT NULL,
    state               jsonb NOT NULL,
    status              text GENERATED ALWAYS AS (CASE state ->> 'status' WHEN 'observed' THEN 'settling' ELSE state ->> 'status' END) STORED,
    upgrade_phase       text NOT NULL DEFAULT '',
    progress            jsonb NOT NULL,
    previous_version    text NOT NULL,
    previous_binary_url text NOT NULL,
    previous_checksum   text NOT NULL,
    error_message       text NOT NULL DEFAULT '',
    attempt_count       int NOT NULL DEFAULT 0,
    attempt             bigint NOT NULL DEFAULT 0,
    attempt_open        boolean NOT NULL DEFAULT false,
    sequence            bigint NOT NULL DEFAULT 0,
    installed_by        bigint NOT NULL DEFAULT 0,
    running_checksum    text NOT NULL DEFAULT '',
    updated_at          timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (rollout_id, node_id)
) WITH (fillfactor = 50);
CREATE INDEX rollout_node_of_node ON rollout_node (node_id);

-- What each node will be sent, frozen at creation (invariant A19).
CREATE TABLE payload (
    rollout_id uuid NOT NULL REFERENCES rollout (id),
    node_id    text NOT NULL,
    digest     text NOT NULL,
    body       bytea NOT NULL,
    PRIMARY KEY (rollout_id, node_id)
);

-- One number per node, over all rollouts and programs (rule R1).
CREATE TABLE node_guard (
    node_id         text PRIMARY KEY,
    last_attempt    bigint NOT NULL,
    failed_rollback boolean NOT NULL DEFAULT false
);

CREATE TABLE node_attempt (
    node_id     text NOT NULL,
    attempt     bigint NOT NULL,
    rollout_id  uuid NOT NULL REFERENCES rollout (id),
    restore_of  bigint NOT NULL,
    body        bytea NOT NULL,
    body_digest text NOT NULL,
    open        boolean NOT NULL,
    sequence    bigint NOT NULL DEFAULT 0,
    report      bytea,
    outcome     text NOT NULL DEFAULT '',
    epoch       bigint NOT NULL,
    assigned_at timestamptz NOT NULL DEFAULT now(),
    closed_at   timestamptz,
    PRIMARY KEY (node_id, attempt)
) WITH (fillfactor = 50);
CREATE UNIQUE INDEX node_attempt_open ON node_attempt (node_id) WHERE open;

-- One row for each transition of a rollout, a batch or a node; one hash chain per rollout (invariants G1, G2).
CREATE TABLE history (
    seq         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    rollout_id  uuid NOT NULL REFERENCES rollout (id),
    at          timestamptz NOT NULL,
    epoch       bigint NOT NULL,
    actor       text NOT NULL,
    subject     text NOT NULL,
    node_id     text NOT NULL DEFAULT '',
    from_status text NOT NULL,
    to_status   text NOT NULL,
    code        text NOT NULL,
    sentence    text NOT NULL,
    prev_hash   text NOT NULL,
    hash        text NOT NULL
);
CREATE INDEX history_of_rollout ON history (rollout_id, seq DESC);
CREATE INDEX history_of_node ON history (node_id, seq DESC) WHERE node_id <> '';

CREATE TABLE operator_request (
    id               uuid PRIMARY KEY,
    rollout_id       uuid NOT NULL REFERENCES rollout (id),
    actor            text NOT NULL,
    idempotency_key  text NOT NULL,
    kind             text NOT NULL,
    node_id          text NOT NULL DEFAULT '',
    acknowledged     int NOT NULL DEFAULT 0,
    reason           text NOT NULL,
    created_at       timestamptz NOT NULL DEFAULT now(),
    state            text NOT NULL DEFAULT 'pending',
    refusal_code     text NOT NULL DEFAULT '',
    refusal_sentence text NOT NULL DEFAULT '',
    decided_at       timestamptz,
    UNIQUE (actor, idempotency_key)
);
CREATE INDEX operator_request_pending ON operator_request (rollout_id, created_at) WHERE state = 'pending';

-- Makes a repeated creation safe.
CREATE TABLE creation_key (
    actor           text NOT NULL,
    idempotency_key text NOT NULL,
    request_digest  text NOT NULL,
    rollout_id      uuid NOT NULL REFERENCES rollout (id),
    PRIMARY KEY (actor, idempotency_key)
);

CREATE FUNCTION history_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'history is append-only';
END $$;
CREATE TRIGGER history_append_only BEFORE UPDATE OR DELETE ON history
    FOR EACH ROW EXECUTE FUNCTION history_is_append_only();

-- The last line behind the planner: only the moves of the state machine, and epochs never decrease (A17, B1).
CREATE FUNCTION rollout_moves_legally() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.epoch < OLD.epoch THEN
        RAISE EXCEPTION 'epoch % may not write after epoch %', NEW.epoch, OLD.epoch;
    END IF;
    IF OLD.status <> NEW.status AND NOT (OLD.status, NEW.status) IN (
        ('pending', 'running'), ('pending', 'cancelled'), ('pending', 'failed'),
        ('running', 'awaiting_approval'), ('running', 'paused'), ('running', 'cancelling'),
        ('running', 'rolling_back'), ('running', 'completed'), ('running', 'failed'),
        ('awaiting_approval', 'running'), ('awaiting_approval', 'paused'),
        ('awaiting_approval', 'cancelling'), ('awaiting_approval', 'rolling_back'),
        ('paused', 'running'), ('paused', 'awaiting_approval'), ('paused', 'rolling_back'), ('paused', 'cancelling'),
        ('cancelling', 'cancelled'), ('cancelling', 'rolling_back'),
        ('rolling_back', 'paused'), ('rolling_back', 'rolled_back'), ('rolling_back', 'failed'),
        ('completed', 'rolling_back'), ('failed', 'rolling_back'), ('cancelled', 'rolling_back')) THEN
        RAISE EXCEPTION 'a rollout does not move from % to %', OLD.status, NEW.status;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER rollout_moves BEFORE UPDATE ON rollout
    FOR EACH ROW EXECUTE FUNCTION rollout_moves_legally();

CREATE FUNCTION request_wakes_leader() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('drover_request', NEW.rollout_id::text);
    RETURN NEW;
END $$;
CREATE TRIGGER request_wakes AFTER INSERT ON operator_request
    FOR EACH ROW EXECUTE FUNCTION request_wakes_leader();
