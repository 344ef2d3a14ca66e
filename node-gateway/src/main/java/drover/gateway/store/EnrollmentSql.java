package drover.gateway.store;

/** The statements of {@link PostgresEnrollmentStore}. */
final class EnrollmentSql {
    private EnrollmentSql() {}

    /** A new token. */
    static final String GRANT =
            """
            INSERT INTO gateway.join_token (id, secret_sha256, node_id, chain_profile_id, node_type,
              labels, max_uses, created_by, created_at, expires_at)
            VALUES (:id, :secret, :node, :chain, :type, CAST(:labels AS jsonb), :maxUses, :by,
              :created, :expires)
            """;

    private static final String TOKEN =
            """
            SELECT id, node_id, chain_profile_id, node_type, labels, max_uses, uses, created_by,
              created_at, expires_at, revoked_at, revoked_by
            FROM gateway.join_token
            """;

    /** Tokens that were made lately. */
    static final String GRANTS =
            TOKEN
                    + """
                    WHERE created_at > now() - make_interval(days => :days)
                    ORDER BY created_at DESC, id LIMIT :limit
                    """;

    /** One token. */
    static final String FIND = TOKEN + "WHERE id = :id";

    /** One token, to whoever has its secret. */
    static final String SHOWN = TOKEN + "WHERE id = :id AND secret_sha256 = :secret";

    /** Ends a token; a second time changes nothing. */
    static final String REVOKE =
            """
            UPDATE gateway.join_token SET revoked_at = now(), revoked_by = :by
            WHERE id = :id AND revoked_at IS NULL
            """;

    /** One use, by one statement: whoever comes second waits for its row and sees the first. */
    static final String USE =
            """
            UPDATE gateway.join_token SET uses = uses + 1
            WHERE id = :id AND secret_sha256 = :secret
              AND uses < max_uses AND expires_at > now() AND revoked_at IS NULL
            RETURNING id, node_id, chain_profile_id, node_type, labels, max_uses, uses, created_by,
              created_at, expires_at, revoked_at, revoked_by
            """;

    /** What this token and this key were answered before, while the token is good at all. */
    static final String BEFORE =
            """
            SELECT c.node_id, c.generation, c.serial, c.public_key_sha256, c.expires_at, c.pem
            FROM gateway.enrolment e
            JOIN gateway.join_token t ON t.id = e.token_id
            JOIN gateway.certificate c ON c.serial = e.serial
            WHERE e.token_id = :id AND e.public_key_sha256 = :key AND t.secret_sha256 = :secret
              AND t.expires_at > now() AND t.revoked_at IS NULL AND c.revoked_at IS NULL
            """;

    /**
     * The node, new or back in service; no row when it is one of another chain or type. A token
     * without labels leaves a node those that it has.
     */
    static final String NODE =
            """
            INSERT INTO gateway.node (id, chain_profile_id, node_type, labels, generation)
            VALUES (:id, :chain, :type, CAST(:labels AS jsonb), 1)
            ON CONFLICT (id) DO UPDATE
            SET labels = CASE WHEN excluded.labels = '{}' THEN node.labels ELSE excluded.labels END,
              retired_at = NULL, generation = node.generation + 1,
              token_sha256 = CASE WHEN node.barred_at IS NULL THEN node.token_sha256 END,
              barred_at = NULL, barred_why = NULL
            WHERE node.chain_profile_id = excluded.chain_profile_id
              AND node.node_type = excluded.node_type
            RETURNING generation
            """;

    /** A certificate. */
    static final String CERTIFICATE =
            """
            INSERT INTO gateway.certificate (serial, node_id, generation, public_key_sha256,
              expires_at, pem)
            VALUES (:serial, :node, :generation, :key, :expires, :pem)
            """;

    /** No row when the same token and key were answered in the meantime. */
    static final String ENROLLMENT =
            """
            INSERT INTO gateway.enrolment (token_id, public_key_sha256, serial)
            VALUES (:id, :key, :serial) ON CONFLICT DO NOTHING
            """;

    /** Who a node is. */
    static final String IDENTITY =
            """
            SELECT id, chain_profile_id, node_type, labels FROM gateway.node WHERE id = :id
            """;
}
