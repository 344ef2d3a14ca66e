-- The nodes that one request names; empty when it names none, or one, which is in node_id.
ALTER TABLE operator_request ADD COLUMN node_ids text[] NOT NULL DEFAULT '{}';
