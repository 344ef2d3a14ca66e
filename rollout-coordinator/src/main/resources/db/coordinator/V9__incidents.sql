-- What a person should look at. The leader opens and closes under its fence; people acknowledge and resolve. Every
-- statement names the state it expects, so that either order ends in one legal state.
CREATE TABLE incident (
    id              uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    category        text NOT NULL,
    severity        text NOT NULL,
    node_id         text NOT NULL,
    rollout_id      uuid REFERENCES rollout (id),
    code            text NOT NULL,
    sentence        text NOT NULL,
    recovery_plan   text NOT NULL DEFAULT '',
    state           text NOT NULL DEFAULT 'open',
    standing        boolean NOT NULL DEFAULT true, -- whether what caused it goes on, as far as the leader knows
    opened_at       timestamptz NOT NULL,
    acknowledged_by text NOT NULL DEFAULT '',
    acknowledged_at timestamptz,
    note            text NOT NULL DEFAULT '',
    resolved_by     text NOT NULL DEFAULT '',
    resolved_at     timestamptz,
    resolution      text NOT NULL DEFAULT ''
);
-- One at a time of each kind: also the line behind two writers.
CREATE UNIQUE INDEX incident_standing ON incident
    (category, node_id, coalesce(rollout_id, '00000000-0000-0000-0000-000000000000')) WHERE standing;
CREATE INDEX incident_newest ON incident (opened_at DESC, id DESC);
CREATE INDEX incident_of_node ON incident (node_id, opened_at DESC);
CREATE INDEX incident_of_rollout ON incident (rollout_id, opened_at DESC) WHERE rollout_id IS NOT NULL;

-- A node may be held until a moment.
ALTER TABLE operator_request ADD COLUMN hold_until timestamptz;
