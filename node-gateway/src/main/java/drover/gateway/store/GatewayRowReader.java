package drover.gateway.store;

import drover.gateway.identity.BlockReason;
import drover.gateway.identity.IssuedCertificate;
import drover.gateway.identity.JoinTokenMetadata;
import drover.gateway.identity.PresentedCertificate;
import drover.gateway.identity.StreamCredential;
import drover.gateway.session.NodeIdentity;
import drover.gateway.session.NodeInventory;
import drover.gateway.session.ReportedProgram;
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
final class GatewayRowReader {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private GatewayRowReader() {}

    static String toJson(Object value) {
        return JSON.writeValueAsString(value);
    }

    static NodeStore.NodeTokenOwner readTokenOwner(ResultSet row) throws SQLException {
        return new NodeStore.NodeTokenOwner(
                readIdentity(row), new Digest(row.getString("token_sha256")));
    }

    static NodeStore.StoredNode readStoredNode(ResultSet row) throws SQLException {
        return new NodeStore.StoredNode(
                readIdentity(row),
                readInventory(row),
                readInstant(row, "last_seen_at"),
                row.getString("live_gateway_id"),
                row.getString("gateway_id"),
                readInstant(row, "retired_at"),
                readBlockReason(row),
                readInstant(row, "read_at").orElseThrow());
    }

    static JoinTokenMetadata readJoinToken(ResultSet row) throws SQLException {
        return new JoinTokenMetadata(
                row.getString("id"),
                Optional.ofNullable(row.getString("node_id")).map(NodeId::new),
                new ChainProfileId(row.getString("chain_profile_id")),
                new NodeType(row.getString("node_type")),
                JSON.readValue(
                        row.getString("labels"), new TypeReference<Map<String, String>>() {}),
                row.getInt("max_uses"),
                row.getInt("uses"),
                row.getString("created_by"),
                readInstant(row, "created_at").orElseThrow(),
                readInstant(row, "expires_at").orElseThrow(),
                readInstant(row, "revoked_at"),
                row.getString("revoked_by"));
    }

    static IssuedCertificate readIssuedCertificate(ResultSet row) throws SQLException {
        return new IssuedCertificate(
                new NodeId(row.getString("node_id")),
                row.getLong("generation"),
                row.getString("serial"),
                new Digest(row.getString("public_key_sha256")),
                readInstant(row, "expires_at").orElseThrow(),
                row.getString("pem"));
    }

    static NodeCertificateStore.PresentedIdentity readPresentedIdentity(ResultSet row)
            throws SQLException {
        NodeIdentity node = readIdentity(row);
        return new NodeCertificateStore.PresentedIdentity(
                node,
                new PresentedCertificate(
                        node.id(),
                        row.getLong("generation"),
                        row.getLong("shown_generation"),
                        readInstant(row, "shown_since").orElseThrow(),
                        row.getBoolean("revoked"),
                        row.getBoolean("retired"),
                        readBlockReason(row)),
                readInstant(row, "now").orElseThrow());
    }

    static StreamCredential readStreamCredential(ResultSet row) throws SQLException {
        String proof = row.getString("proof");
        return row.getString("kind").equals("token")
                ? new StreamCredential.NodeTokenDigest(new Digest(proof))
                : new StreamCredential.Certificate(proof);
    }

    static Instant readDatabaseTime(Handle handle) {
        return handle.createQuery("SELECT now() AS at")
                .map((row, _) -> readInstant(row, "at").orElseThrow())
                .one();
    }

    private static Optional<BlockReason> readBlockReason(ResultSet row) throws SQLException {
        return Optional.ofNullable(row.getString("barred_why")).map(BlockReason::parseOrUnknown);
    }

    private static Optional<Instant> readInstant(ResultSet row, String column) throws SQLException {
        return Optional.ofNullable(row.getObject(column, OffsetDateTime.class))
                .map(OffsetDateTime::toInstant);
    }

    static NodeIdentity readIdentity(ResultSet row) throws SQLException {
        return new NodeIdentity(
                new NodeId(row.getString("id")),
                new ChainProfileId(row.getString("chain_profile_id")),
                new NodeType(row.getString("node_type")),
                JSON.readValue(
                        row.getString("labels"), new TypeReference<Map<String, String>>() {}));
    }

    private static NodeInventory readInventory(ResultSet row) throws SQLException {
        return new NodeInventory(
                row.getString("agent_version"),
                row.getString("runtime"),
                row.getString("platform"),
                JSON.readValue(row.getString("features"), new TypeReference<List<String>>() {}),
                row.getLong("attempt_floor"),
                JSON.readValue(
                        row.getString("programs"), new TypeReference<List<ReportedProgram>>() {}));
    }
}
