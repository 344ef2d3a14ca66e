-- Join tokens are part of the history of keys: creation, uses and end, in the same chain of hashes. Their rows have the id
-- 'join-token:ID', which is no id of a key.
ALTER TABLE key_history DROP CONSTRAINT key_history_key_id_fkey;

-- What the history contains of each token. Tokens themselves are the gateways'.
CREATE TABLE join_token_recorded (
    token_id text PRIMARY KEY,
    uses     integer NOT NULL,
    ended    boolean NOT NULL
);
