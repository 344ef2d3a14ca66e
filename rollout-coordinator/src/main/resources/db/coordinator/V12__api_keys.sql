-- Keys of operators and their programs. The secret is nowhere: what stands here proves it and gives nothing away.
-- A row is never deleted, so that an id in the history means one key for good.
CREATE TABLE api_key (
    id            text PRIMARY KEY,
    secret_sha256 text NOT NULL,
    scopes        text[] NOT NULL,
    created_by    text NOT NULL,
    created_at    timestamptz NOT NULL DEFAULT now(),
    expires_at    timestamptz,
    last_used_at  timestamptz, -- to about a minute
    revoked_at    timestamptz,
    revoked_by    text NOT NULL DEFAULT ''
);
