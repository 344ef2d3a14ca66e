package drover.gateway.store;

import drover.gateway.identity.BlockReason;
import drover.gateway.identity.IssuedCertificate;
import drover.gateway.identity.IssuedJoinToken;
import drover.gateway.identity.PresentedCertificate;
import drover.gateway.identity.StreamCredential;
import drover.gateway.session.Inventory;
import drover.gateway.session.NodeIdentity;
import drover.gateway.session.Program;
import drover.model.ChainProfileId;
import drover.model.Digest;
import drover.model.NodeId;
import drover.model.NodeType;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;

/** Reads rows and writes the JSON in them. */
final class NodeRows {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private NodeRows() {}

    static String toJson(Object value) {
        return JSON.writeValueAsString(value);
    }

    static NodeStore.Credential credential(ResultSet row) throws SQLException {
        return new NodeStore.Credential(identity(row), new Digest(row.getString("token_sha256")));
    }

    static NodeStore.StoredNode storedNode(ResultSet row) throws SQLException {
        return new NodeStore.StoredNode(
                identity(row),
                inventory(row),
                at(row, "last_seen_at"),
                row.getString("live_gateway_id"),
                row.getString("gateway_id"),
                at(row, "retired_at"),
                blockReason(row),
                at(row, "read_at").orElseThrow());
    }

    static IssuedJoinToken grant(ResultSet row) throws SQLException {
        return new IssuedJoinToken(
                row.getString("id"),
                Optional.ofNullable(row.getString("node_id")).map(NodeId::new),
                new ChainProfileId(row.getString("chain_profile_id")),
                new NodeType(row.getString("node_type")),
                JSON.readValue(
                        row.getString("labels"), new TypeReference<Map<String, String>>() {}),
                row.getInt("max_uses"),
                row.getInt("uses"),
                row.getString("created_by"),
                at(row, "created_at").orElseThrow(),
                at(row, "expires_at").orElseThrow(),
                at(row, "revoked_at"),
                row.getString("revoked_by"));
    }

    static IssuedCertificate issuedCertificate(ResultSet row) throws SQLException {
        return new IssuedCertificate(
                new NodeId(row.getString("node_id")),
                row.getLong("generation"),
                row.getString("serial"),
                new Digest(row.getString("public_key_sha256")),
                at(row, "expires_at").orElseThrow(),
                row.getString("pem"));
    }

    static CertificateStore.Presented shown(ResultSet row) throws SQLException {
        NodeIdentity node = identity(row);
        return new CertificateStore.Presented(
                node,
                new PresentedCertificate(
                        node.id(),
                        row.getLong("generation"),
                        row.getLong("shown_generation"),
                        at(row, "shown_since").orElseThrow(),
                        row.getBoolean("revoked"),
                        row.getBoolean("retired"),
                        blockReason(row)),
                at(row, "now").orElseThrow());
    }

    static StreamCredential streamCredential(ResultSet row) throws SQLException {
        String proof = row.getString("proof");
        return row.getString("kind").equals("token")
                ? new StreamCredential.Token(new Digest(proof))
                : new StreamCredential.Certificate(proof);
    }

    static Instant now(Handle handle) {
        return handle.createQuery("SELECT now() AS at")
                .map((row, _) -> at(row, "at").orElseThrow())
                .one();
    }

    private static Optional<BlockReason> blockReason(ResultSet row) throws SQLException {
        return Optional.ofNullable(row.getString("barred_why")).map(BlockReason::of);
    }

    private static Optional<Instant> at(ResultSet row, String column) throws SQLException {
        return Optional.ofNullable(row.getObject(column, OffsetDateTime.class))
                .map(OffsetDateTime::toInstant);
    }

    static NodeIdentity identity(ResultSet row) throws SQLException {
        return new NodeIdentity(
                new NodeId(row.getString("id")),
                new ChainProfileId(row.getString("chain_profile_id")),
                new NodeType(row.getString("node_type")),
                JSON.readValue(
                        row.getString("labels"), new TypeReference<Map<String, String>>() {}));
    }

    private static Inventory inventory(ResultSet row) throws SQLException {
        return new Inventory(
                row.getString("agent_version"),
                row.getString("runtime"),
                row.getString("platform"),
                JSON.readValue(row.getString("features"), new TypeReference<List<String>>() {}),
                row.getLong("attempt_floor"),
                JSON.readValue(row.getString("programs"), new TypeReference<List<Program>>() {}));
    }
}
