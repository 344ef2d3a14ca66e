-- Tokens whose node was revoked or locked. They are persisted where the node is prepared, and brought
-- again at each start: who stole one must not be let in because its node was retired or enrolled since.
CREATE TABLE gateway.ended_token (
    token_sha256 text PRIMARY KEY,
    ended_at     timestamptz NOT NULL DEFAULT now()
);

INSERT INTO gateway.ended_token (token_sha256)
SELECT token_sha256 FROM gateway.node WHERE barred_at IS NOT NULL AND token_sha256 IS NOT NULL;

-- Retiring ends certificates since V6; those of nodes that were retired before are ended here.
UPDATE gateway.certificate c SET revoked_at = now()
FROM gateway.node n
WHERE n.id = c.node_id AND n.retired_at IS NOT NULL AND c.revoked_at IS NULL;
