-- Every gateway looks every 2 s for what was ended before its time was over: hardly ever anything.
CREATE INDEX certificate_ended ON gateway.certificate (expires_at) WHERE revoked_at IS NOT NULL;
