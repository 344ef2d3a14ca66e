package drover.gateway.api;

import com.google.protobuf.Timestamp;
import drover.gateway.engine.SessionTable;
import drover.gateway.session.Inventory;
import drover.gateway.session.NodeIdentity;
import drover.gateway.session.NodeView;
import drover.gateway.session.Presence;
import drover.gateway.store.NodeStore;
import drover.gateway.store.StoreUnavailable;
import drover.kit.grpc.Refused;
import drover.model.RefusalCode;
import drover.node.v1.ListDirectoryRequest;
import drover.node.v1.ListDirectoryResponse;
import drover.node.v1.Node;
import drover.node.v1.NodeDirectoryServiceGrpc;
import drover.node.v1.RegisterNodeRequest;
import drover.node.v1.RegisterNodeResponse;
import io.grpc.stub.StreamObserver;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.Supplier;

/** The door to the gateways' list of nodes. */
public final class NodeDirectoryDoor extends NodeDirectoryServiceGrpc.NodeDirectoryServiceImplBase {
    private final String gatewayId;
    private final SessionTable table;
    private final NodeStore store;
    private final InstantSource clock;

    /** A door that knows the sessions of this gateway and the memory of all. */
    public NodeDirectoryDoor(
            String gatewayId, SessionTable table, NodeStore store, InstantSource clock) {
        this.gatewayId = gatewayId;
        this.table = table;
        this.store = store;
        this.clock = clock;
    }

    @Override
    public void listDirectory(
            ListDirectoryRequest request, StreamObserver<ListDirectoryResponse> responses) {
        NodeStore.Query query = DirectoryProtos.query(request);
        ListDirectoryResponse.Builder response = ListDirectoryResponse.newBuilder();
        asking(() -> store.list(query)).forEach(node -> response.addNodes(render(node)));
        responses.onNext(response.build());
        responses.onCompleted();
    }

    @Override
    public void registerNode(
            RegisterNodeRequest request, StreamObserver<RegisterNodeResponse> responses) {
        NodeIdentity node = DirectoryProtos.identity(request);
        NodeStore.StoredNode stored =
                switch (asking(() -> store.register(node, DirectoryProtos.token(request)))) {
                    case NodeStore.Registration.Registered(var registered) -> registered;
                    case NodeStore.Registration.IdentityFixed(var present) ->
                            throw new Refused(
                                    RefusalCode.NODE_IDENTITY_FIXED,
                                    ("Node %s belongs to chain profile %s with type %s, for good;"
                                                    + " use another id.")
                                            .formatted(
                                                    present.id(), present.chain(), present.type()),
                                    "node_id");
                    case NodeStore.Registration.TokenTaken() ->
                            throw new Refused(
                                    RefusalCode.INVALID_FIELD,
                                    "Another node has this token; make one for each node.",
                                    "token_sha256");
                };
        responses.onNext(RegisterNodeResponse.newBuilder().setNode(render(stored)).build());
        responses.onCompleted();
    }

    /**
     * A node is online here when this gateway holds its session, and elsewhere when a gateway that
     * is alive says so: a gateway that crashed takes its nodes offline with it.
     */
    private Node render(NodeStore.StoredNode stored) {
        NodeView view = table.view(stored.node().id());
        Inventory inventory = view.presence().map(Presence::inventory).orElse(stored.inventory());
        boolean here = view.presence().isPresent();
        boolean elsewhere = !stored.gatewayId().isEmpty() && !stored.gatewayId().equals(gatewayId);
        Node.Builder node = DirectoryProtos.render(stored.node(), inventory);
        node.setOnline(here || elsewhere);
        if (here || elsewhere) {
            node.setGatewayId(here ? gatewayId : stored.gatewayId());
        }
        if (here) {
            node.setLastSeenAt(
                    timestamp(clock.instant().minusNanos(table.nanoTime() - view.heardNanos())));
        } else {
            stored.lastSeen().ifPresent(at -> node.setLastSeenAt(timestamp(at)));
        }
        return node.build();
    }

    private static Timestamp timestamp(Instant at) {
        return Timestamp.newBuilder()
                .setSeconds(at.getEpochSecond())
                .setNanos(at.getNano())
                .build();
    }

    private static <T> T asking(Supplier<T> question) {
        try {
            return question.get();
        } catch (StoreUnavailable e) {
            throw new Refused(
                    RefusalCode.STORE_UNAVAILABLE, e.getMessage() + "; try again in a moment.");
        }
    }
}
