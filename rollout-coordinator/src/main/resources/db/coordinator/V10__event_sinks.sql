-- How far each receiver of events has come. Events are rows of history; this is all that is kept beside it.
-- Written by the leader after the receiver took them, never before: what was not marked is sent again (invariant G4).
CREATE TABLE event_sink (
    name          text PRIMARY KEY,
    kind          text NOT NULL,
    through       bigint NOT NULL,
    epoch         bigint NOT NULL, -- of the leader that last had it in its configuration
    failing_since timestamptz,
    problem       text NOT NULL DEFAULT ''
);
