-- A retired node keeps its row, so that its history can be read; it has no token, so that nobody can be it.
ALTER TABLE gateway.node ALTER COLUMN token_sha256 DROP NOT NULL;
ALTER TABLE gateway.node ADD COLUMN retired_at timestamptz;
