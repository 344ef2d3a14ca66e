-- How far the history of a rollout has been sent as spans. Written by the leader after a receiver took them, never before:
-- what was not marked is sent again under the same ids. Nothing is written here while traces are off.
CREATE TABLE span_mark (
    rollout_id uuid PRIMARY KEY REFERENCES rollout (id),
    through    bigint NOT NULL
);
