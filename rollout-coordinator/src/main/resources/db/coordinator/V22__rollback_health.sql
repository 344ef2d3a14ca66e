-- Health gate that a request for a rollback asks for: wait, ask or ignore; empty for what the rollout was created with.
ALTER TABLE operator_request ADD COLUMN rollback_health text NOT NULL DEFAULT '';
