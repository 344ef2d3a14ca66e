package drover.gateway.store;

import drover.gateway.session.Inventory;
import drover.gateway.session.NodeIdentity;
import drover.gateway.session.Program;
import drover.model.ChainProfileId;
import drover.model.Digest;
import drover.model.NodeId;
import drover.model.NodeType;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
        OffsetDateTime lastSeen = row.getObject("last_seen_at", OffsetDateTime.class);
        OffsetDateTime retired = row.getObject("retired_at", OffsetDateTime.class);
        return new NodeStore.StoredNode(
                identity(row),
                inventory(row),
                Optional.ofNullable(lastSeen).map(OffsetDateTime::toInstant),
                row.getString("live_gateway_id"),
                Optional.ofNullable(retired).map(OffsetDateTime::toInstant));
    }

    private static NodeIdentity identity(ResultSet row) throws SQLException {
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
