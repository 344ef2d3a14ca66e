-- What makes machines nodes. The secret is 32 random bytes, so its plain digest is enough.
CREATE TABLE gateway.join_token (
    id               text PRIMARY KEY,
    secret_sha256    text NOT NULL,
    node_id          text,                        -- null: an id is made up for each machine
    chain_profile_id text NOT NULL,
    node_type        text NOT NULL,
    labels           jsonb NOT NULL,
    max_uses         integer NOT NULL CHECK (max_uses > 0),
    uses             integer NOT NULL DEFAULT 0 CHECK (uses BETWEEN 0 AND max_uses),
    created_by       text NOT NULL,
    created_at       timestamptz NOT NULL,
    expires_at       timestamptz NOT NULL,
    revoked_at       timestamptz,
    revoked_by       text NOT NULL DEFAULT ''
);

-- Every certificate that was given to a node; public, and what revocation goes by.
CREATE TABLE gateway.certificate (
    serial            text PRIMARY KEY,           -- hexadecimal
    node_id           text NOT NULL REFERENCES gateway.node (id),
    generation        bigint NOT NULL,
    public_key_sha256 text NOT NULL,
    expires_at        timestamptz NOT NULL,
    pem               text NOT NULL,
    issued_at         timestamptz NOT NULL DEFAULT now(),
    revoked_at        timestamptz,
    UNIQUE (node_id, generation)
);

-- A token and a key have one answer, however often they are sent.
CREATE TABLE gateway.enrolment (
    token_id          text NOT NULL REFERENCES gateway.join_token (id),
    public_key_sha256 text NOT NULL,
    serial            text NOT NULL REFERENCES gateway.certificate (serial),
    PRIMARY KEY (token_id, public_key_sha256)
);

-- Counts the certificates of a node; 0 while it has none.
ALTER TABLE gateway.node ADD COLUMN generation bigint NOT NULL DEFAULT 0;
