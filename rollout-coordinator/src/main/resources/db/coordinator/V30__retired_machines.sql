-- Highest attempt on a machine of the node that was retired since. Another machine may be registered under its name: it has
-- nothing of what these attempts installed.
ALTER TABLE node_guard ADD COLUMN retired_attempt bigint NOT NULL DEFAULT 0;
