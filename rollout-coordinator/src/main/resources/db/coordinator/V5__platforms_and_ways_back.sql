-- Artifacts per platform, and how each node would be brought back. Rollouts created before have one artifact for every
-- platform, and agents that keep a backup of every attempt.
UPDATE rollout SET spec = spec || '{"artifacts": {}}' WHERE spec -> 'artifacts' IS NULL;
UPDATE rollout_node SET target = target || '{"platform": "", "wayBack": "BACKUP"}' WHERE target -> 'wayBack' IS NULL;
