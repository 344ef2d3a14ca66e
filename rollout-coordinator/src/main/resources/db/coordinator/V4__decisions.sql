-- What each committed step of a rollout was decided from, so that newer code can be asked the same again (invariant A20).
-- Written with the step; read by nobody but a replay, hence text.
CREATE TABLE decision (
    rollout_id uuid NOT NULL REFERENCES rollout (id),
    revision   bigint NOT NULL,
    version    int NOT NULL,
    inputs     text NOT NULL,
    PRIMARY KEY (rollout_id, revision)
);
