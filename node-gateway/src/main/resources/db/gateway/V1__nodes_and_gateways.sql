-- Where the gateways are. Each refreshes its row every 5 s and counts as alive for 15 s.
CREATE TABLE gateway.gateway (
    id      text PRIMARY KEY,
    address text NOT NULL,
    seen_at timestamptz NOT NULL
);

-- Who the nodes are, and what was on them last. Nothing is written per heartbeat.
CREATE TABLE gateway.node (
    id               text COLLATE "C" PRIMARY KEY, -- ordered as the services order ids
    chain_profile_id text NOT NULL,
    node_type        text NOT NULL,
    labels           jsonb NOT NULL,
    token_sha256     text NOT NULL UNIQUE,         -- never the token itself
    agent_version    text NOT NULL DEFAULT 'unknown',
    runtime          text NOT NULL DEFAULT '',
    platform         text NOT NULL DEFAULT '',
    features         jsonb NOT NULL DEFAULT '[]',
    attempt_floor    bigint NOT NULL DEFAULT 0,
    programs         jsonb NOT NULL DEFAULT '[]',
    last_seen_at     timestamptz,
    gateway_id       text NOT NULL DEFAULT ''      -- holds the session, if that gateway is alive
) WITH (fillfactor = 70); -- so that last_seen_at stays on its page; it is in no index

CREATE INDEX node_of_chain ON gateway.node (chain_profile_id, node_type);
