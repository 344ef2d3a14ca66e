-- How far a node's old agent is in handing over to its successor, within the open attempt; null when no agent does.
ALTER TABLE rollout_node ADD COLUMN handover jsonb;
