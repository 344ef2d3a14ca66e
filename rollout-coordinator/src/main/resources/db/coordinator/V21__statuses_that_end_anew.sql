-- When the latest status that ends an attempt was written; closed_at is when the first was. They differ where an upgrade that
-- succeeded was taken back on the node itself. Null where an earlier version wrote it: then closed_at is all there is.
ALTER TABLE node_attempt ADD COLUMN last_ended_at timestamptz;
