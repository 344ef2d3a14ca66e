-- Events that a receiver rejected. Their text stays in the history; an operator may request that the leader sends them again.
CREATE TABLE dead_letter (
    sink        text NOT NULL,
    seq         bigint NOT NULL,
    event_id    text NOT NULL,
    type        text NOT NULL,
    subject     text NOT NULL,
    problem     text NOT NULL,
    attempts    int NOT NULL DEFAULT 1,
    rejected_at timestamptz NOT NULL DEFAULT now(),
    retry       boolean NOT NULL DEFAULT false,
    retry_by    text NOT NULL DEFAULT '',
    PRIMARY KEY (seq, sink)
);
CREATE INDEX dead_letter_retry ON dead_letter (sink, seq) WHERE retry;
CREATE INDEX dead_letter_of_sink ON dead_letter (sink);

-- Incidents that were opened or resolved, for receivers of events. seq comes from the sequence of the history, under the same
-- lock, so that one position per receiver covers both.
CREATE TABLE incident_event (
    seq         bigint PRIMARY KEY,
    hash        text NOT NULL,
    at          timestamptz NOT NULL,
    incident_id uuid NOT NULL,
    category    text NOT NULL,
    severity    text NOT NULL,
    node_id     text NOT NULL,
    rollout_id  uuid,
    actor       text NOT NULL,
    from_state  text NOT NULL,
    to_state    text NOT NULL,
    code        text NOT NULL,
    sentence    text NOT NULL
);
CREATE INDEX incident_event_of_node ON incident_event (node_id, seq);
CREATE INDEX incident_event_of_rollout ON incident_event (rollout_id, seq) WHERE rollout_id IS NOT NULL;
CREATE INDEX incident_event_age ON incident_event (at);
CREATE INDEX incident_unresolved ON incident (category) WHERE state <> 'resolved';
