-- Who proposes to lead, where no etcd elects (seed 004). Decides nothing: leader_epoch does. Every time is this database's.
CREATE TABLE leader_lease (
    id          text PRIMARY KEY DEFAULT 'promotion_leader' CHECK (id = 'promotion_leader'),
    holder      text NOT NULL,
    acquired_at timestamptz NOT NULL,
    renewed_at  timestamptz NOT NULL,
    expires_at  timestamptz NOT NULL
) WITH (fillfactor = 50);

CREATE FUNCTION lease_is_free() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('drover_lease', ''); -- candidates look at once
    RETURN NULL;
END $$;
CREATE TRIGGER lease_freed AFTER DELETE ON leader_lease
    FOR EACH STATEMENT EXECUTE FUNCTION lease_is_free();
