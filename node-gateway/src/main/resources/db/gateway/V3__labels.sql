-- Lists are narrowed by labels: labels @> '{"zone": "a"}'.
CREATE INDEX node_with_label ON gateway.node USING gin (labels jsonb_path_ops);
