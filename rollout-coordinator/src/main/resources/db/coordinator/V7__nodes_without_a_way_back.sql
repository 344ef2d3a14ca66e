-- How many nodes nothing could bring back, kept beside the other counters so that a list need not look at nodes.
ALTER TABLE rollout ADD COLUMN not_rollbackable_nodes int NOT NULL DEFAULT 0;
UPDATE rollout r SET not_rollbackable_nodes =
    (SELECT count(*) FROM rollout_node n WHERE n.rollout_id = r.id AND n.target ->> 'wayBack' = 'NONE'
        AND (n.status <> 'skipped' OR n.installed_by <> 0));
