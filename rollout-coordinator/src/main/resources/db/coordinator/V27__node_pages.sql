-- Pages of a rollout's nodes are read in this order.
CREATE INDEX rollout_node_page ON rollout_node (rollout_id, batch_index, node_id COLLATE "C");
