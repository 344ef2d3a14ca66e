package drover.cli.client;

import drover.access.v1.ApiKeyServiceGrpc;
import drover.access.v1.ApiKeyServiceGrpc.ApiKeyServiceBlockingStub;
import drover.access.v1.TokenServiceGrpc;
import drover.access.v1.TokenServiceGrpc.TokenServiceBlockingStub;
import drover.audit.v1.AuditServiceGrpc;
import drover.audit.v1.AuditServiceGrpc.AuditServiceBlockingStub;
import drover.event.v1.EventServiceGrpc;
import drover.event.v1.EventServiceGrpc.EventServiceBlockingStub;
import drover.event.v1.WatchEventsRequest;
import drover.event.v1.WatchEventsResponse;
import drover.incident.v1.IncidentServiceGrpc;
import drover.incident.v1.IncidentServiceGrpc.IncidentServiceBlockingStub;
import drover.manifest.v1.ManifestServiceGrpc;
import drover.manifest.v1.ManifestServiceGrpc.ManifestServiceBlockingStub;
import drover.node.v1.NodeServiceGrpc;
import drover.node.v1.NodeServiceGrpc.NodeServiceBlockingStub;
import drover.rollout.v1.RolloutGroupServiceGrpc;
import drover.rollout.v1.RolloutGroupServiceGrpc.RolloutGroupServiceBlockingStub;
import drover.rollout.v1.RolloutServiceGrpc;
import drover.rollout.v1.RolloutServiceGrpc.RolloutServiceBlockingStub;
import io.grpc.Channel;
import io.grpc.ClientInterceptor;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.AbstractStub;
import io.grpc.stub.MetadataUtils;
import java.util.Iterator;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/** The Drover that answers at an address. */
public final class DroverClient implements AutoCloseable {
    private static final int DEADLINE_SECONDS = 10; // requests wait up to 2 s for their decision

    // A page of nodes may carry 8 KiB of a failed program's output for each.
    private static final int LARGEST_ANSWER = 64 * 1024 * 1024;

    private static final Metadata.Key<String> IDEMPOTENCY_KEY =
            Metadata.Key.of("idempotency-key", Metadata.ASCII_STRING_MARSHALLER);

    private final ManagedChannel channel;

    private static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

    private final Channel usual;
    private final Channel approving;

    private DroverClient(ManagedChannel channel, ClientApiKeys keys) {
        this.channel = channel;
        this.usual = withApiKey(keys.defaultKey(), channel);
        this.approving = withApiKey(keys.approverKey(), channel);
    }

    private static Channel withApiKey(String key, Channel channel) {
        Metadata headers = new Metadata();
        if (!key.isEmpty()) {
            headers.put(AUTHORIZATION, "Bearer " + key);
        }
        return ClientInterceptors.intercept(
                channel, MetadataUtils.newAttachHeadersInterceptor(headers));
    }

    /** Connects when it is first asked. */
    public static DroverClient connect(ServerAddress address, ClientApiKeys keys) {
        return new DroverClient(
                NettyChannelBuilder.forAddress(
                                address.host(), address.port(), address.credentials())
                        .maxInboundMessageSize(LARGEST_ANSWER)
                        .build(),
                keys);
    }

    public RolloutServiceBlockingStub rollouts() {
        return withDeadline(RolloutServiceGrpc.newBlockingStub(usual));
    }

    /** For what changes a rollout: the key makes it safe that the network repeats a call. */
    public RolloutServiceBlockingStub idempotentRollouts() {
        return rollouts().withInterceptors(newIdempotencyKey());
    }

    /** For what a second person lets go on; with the key of one, where there is such a key. */
    public RolloutServiceBlockingStub approverRollouts() {
        return withDeadline(RolloutServiceGrpc.newBlockingStub(approving))
                .withInterceptors(newIdempotencyKey());
    }

    public RolloutGroupServiceBlockingStub groups() {
        return withDeadline(RolloutGroupServiceGrpc.newBlockingStub(usual));
    }

    /** For what changes a group: the key makes it safe that the network repeats a call. */
    public RolloutGroupServiceBlockingStub idempotentGroups() {
        return groups().withInterceptors(newIdempotencyKey());
    }

    /** For what changes a node: the key makes it safe that the network repeats a call. */
    public NodeServiceBlockingStub idempotentNodes() {
        return nodes().withInterceptors(newIdempotencyKey());
    }

    public IncidentServiceBlockingStub incidents() {
        return withDeadline(IncidentServiceGrpc.newBlockingStub(usual));
    }

    /** For what answers an incident. */
    public IncidentServiceBlockingStub idempotentIncidents() {
        return incidents().withInterceptors(newIdempotencyKey());
    }

    private static ClientInterceptor newIdempotencyKey() {
        Metadata metadata = new Metadata();
        metadata.put(IDEMPOTENCY_KEY, UUID.randomUUID().toString());
        return MetadataUtils.newAttachHeadersInterceptor(metadata);
    }

    public NodeServiceBlockingStub nodes() {
        return withDeadline(NodeServiceGrpc.newBlockingStub(usual));
    }

    public ManifestServiceBlockingStub manifests() {
        return withDeadline(ManifestServiceGrpc.newBlockingStub(usual));
    }

    public ApiKeyServiceBlockingStub keys() {
        return withDeadline(ApiKeyServiceGrpc.newBlockingStub(usual));
    }

    public TokenServiceBlockingStub tokens() {
        return withDeadline(TokenServiceGrpc.newBlockingStub(usual));
    }

    public AuditServiceBlockingStub audit() {
        return withDeadline(AuditServiceGrpc.newBlockingStub(usual));
    }

    public EventServiceBlockingStub events() {
        return withDeadline(EventServiceGrpc.newBlockingStub(usual));
    }

    /** Without a deadline: the server ends it. */
    public Iterator<WatchEventsResponse> openEventStream(WatchEventsRequest request) {
        return EventServiceGrpc.newBlockingStub(usual).watchEvents(request);
    }

    @Override
    public void close() {
        channel.shutdownNow();
    }

    private static <S extends AbstractStub<S>> S withDeadline(S stub) {
        return stub.withDeadlineAfter(DEADLINE_SECONDS, TimeUnit.SECONDS);
    }
}
