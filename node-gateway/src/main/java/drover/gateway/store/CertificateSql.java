package drover.gateway.store;

/** The statements of {@link PostgresCertificateStore}. */
final class CertificateSql {
    private CertificateSql() {}

    /** The first dial with a newer certificate; no row changes at all others. */
    static final String RECORD_FIRST_USE =
            """
            UPDATE gateway.node n
            SET shown_generation = c.generation, shown_since = now()
            FROM gateway.certificate c
            WHERE c.serial = :serial AND n.id = c.node_id AND c.generation > n.shown_generation
              AND c.revoked_at IS NULL AND n.barred_at IS NULL AND n.retired_at IS NULL
            """;

    /** How a certificate stands. */
    static final String PRESENTED =
            """
            SELECT n.id, n.chain_profile_id, n.node_type, n.labels, c.generation,
              n.shown_generation, coalesce(n.shown_since, now()) AS shown_since,
              c.revoked_at IS NOT NULL AS revoked, n.retired_at IS NOT NULL AS retired,
              n.barred_why, now() AS now
            FROM gateway.certificate c JOIN gateway.node n ON n.id = c.node_id
            WHERE c.serial = :serial
            """;

    /**
     * The node of a certificate; whoever renews it too waits here, and so does whoever ends it:
     * both rows are locked, because after a wait only those are judged anew.
     */
    static final String LOCK =
            """
            SELECT n.id FROM gateway.certificate c JOIN gateway.node n ON n.id = c.node_id
            WHERE c.serial = :serial AND c.generation >= n.shown_generation
              AND c.revoked_at IS NULL AND n.barred_at IS NULL AND n.retired_at IS NULL
              AND c.expires_at > now()
            FOR UPDATE OF n, c
            """;

    /** What this key was given before. */
    static final String BEFORE =
            """
            SELECT node_id, generation, serial, public_key_sha256, expires_at, pem
            FROM gateway.certificate
            WHERE node_id = :node AND public_key_sha256 = :key AND revoked_at IS NULL
              AND expires_at > now()
            """;

    /** The next generation, unless too many were never dialled with. */
    static final String NEXT =
            """
            UPDATE gateway.node SET generation = generation + 1
            WHERE id = :node AND generation - shown_generation < :most
            RETURNING generation
            """;

    /** What ended a month ago helps nobody; so a node has at most some sixty rows. */
    static final String DELETE_EXPIRED =
            """
            DELETE FROM gateway.certificate c
            WHERE c.node_id = :node AND c.expires_at < now() - interval '30 days'
              AND NOT EXISTS (SELECT 1 FROM gateway.enrolment e WHERE e.serial = c.serial)
            """;

    /** The same, when nobody may change it until this is judged: both rows as above. */
    static final String SHOWN_ALONE = PRESENTED + " FOR UPDATE OF n, c";

    /** Whether there is such a node. */
    static final String IS_THERE =
            """
            SELECT EXISTS (SELECT 1 FROM gateway.node WHERE id = :node)
            """;

    /** Nobody may speak for this node, since it was barred first. */
    static final String BLOCK =
            """
            UPDATE gateway.node SET barred_at = coalesce(barred_at, now()), barred_why = :why
            WHERE id = :node
            """;

    /** The token of a node that was barred, which nobody is registered with any more. */
    static final String REVOKE_TOKEN =
            """
            INSERT INTO gateway.ended_token (token_sha256)
            SELECT token_sha256 FROM gateway.node WHERE id = :node AND token_sha256 IS NOT NULL
            ON CONFLICT DO NOTHING
            """;

    /** Ends a node's certificates up to this generation; how many were good until then. */
    static final String REVOKE =
            """
            WITH ended AS (
              UPDATE gateway.certificate SET revoked_at = now()
              WHERE node_id = :node AND generation <= :upTo AND revoked_at IS NULL
              RETURNING expires_at
            )
            SELECT count(*) FROM ended WHERE expires_at > now()
            """;

    /** Ends join tokens that name this node and would still enrol a machine. */
    static final String REVOKE_JOIN_TOKENS =
            """
            UPDATE gateway.join_token SET revoked_at = now(), revoked_by = :by
            WHERE node_id = :node AND revoked_at IS NULL AND uses < max_uses AND expires_at > now()
            """;

    /** The same tokens, held until the node is judged: first, as whoever enrols a machine does. */
    static final String HOLD_JOIN_TOKENS =
            """
            SELECT id FROM gateway.join_token
            WHERE node_id = :node AND revoked_at IS NULL AND uses < max_uses AND expires_at > now()
            ORDER BY id FOR UPDATE
            """;

    /** Ends those that are held. */
    static final String END_HELD =
            """
            UPDATE gateway.join_token SET revoked_at = now(), revoked_by = :by
            WHERE id = ANY (:ids)
            """;

    /**
     * What was ended before its time is over, hardly ever anything; and tokens that nobody has who
     * may connect. No time is too long ago: what has expired opens no stream, and a stream ends
     * with its certificate by a timer of its own.
     */
    static final String REVOKED =
            """
            SELECT 'certificate' AS kind, serial AS proof FROM gateway.certificate
            WHERE revoked_at IS NOT NULL AND expires_at > now() - make_interval(secs => :apart)
            UNION ALL
            SELECT 'token', s.token FROM unnest(:tokens) AS s(token)
            WHERE NOT EXISTS (SELECT 1 FROM gateway.node n
              WHERE n.token_sha256 = s.token AND n.barred_at IS NULL)
            """;

    /** Nodes that were locked. */
    static final String LOCKED =
            """
            SELECT id FROM gateway.node
            WHERE barred_at IS NOT NULL AND barred_why = 'COPIED' AND retired_at IS NULL
            ORDER BY barred_at, id LIMIT :most
            """;
}
