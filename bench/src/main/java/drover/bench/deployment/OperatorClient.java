package drover.bench.deployment;

import drover.bench.deployment.DatabaseStats.RolloutProgress;
import drover.bench.fleet.BenchNode;
import drover.bench.fleet.BenchNode.BenchRelease;
import drover.localenv.Await;
import drover.localenv.UserFacingError;
import drover.model.Digest;
import drover.node.v1.NodeDirectoryServiceGrpc;
import drover.node.v1.RegisterNodeRequest;
import drover.rollout.v1.CancelRolloutRequest;
import drover.rollout.v1.CreateRolloutRequest;
import drover.rollout.v1.RolloutServiceGrpc;
import drover.rollout.v1.StartRolloutRequest;
import io.grpc.ManagedChannel;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** What people do, through the doors that people use. */
public final class OperatorClient implements AutoCloseable {
    private static final int CALLERS = 8; // as many connections as the gateway's pool has
    private static final int CALL_SECONDS = 60; // creating for 10,000 nodes takes some
    private static final Duration ENDED = Duration.ofMinutes(5);
    private static final int ANY_HEALTH =
            Integer.MAX_VALUE; // a bench measures cost; heartbeats of the last rollout may lag
    private static final Duration POLL_INTERVAL =
            Duration.ofMillis(5); // the error of a time, at the most

    private final ManagedChannel coordinator;
    private final ManagedChannel gateway;
    private final DatabaseStats ledger;

    /** Over channels that were opened elsewhere, and that end here. */
    public OperatorClient(
            ManagedChannel coordinator, ManagedChannel gateway, DatabaseStats ledger) {
        this.coordinator = coordinator;
        this.gateway = gateway;
        this.ledger = ledger;
    }

    /** Makes nodes known. */
    public void register(int first, int count) {
        try (ExecutorService callers =
                Executors.newFixedThreadPool(CALLERS, Thread.ofVirtual().factory())) {
            IntStream.range(first, first + count)
                    .mapToObj(BenchNode::new)
                    .forEach(node -> callers.execute(() -> register(node)));
        }
    }

    private void register(BenchNode node) {
        NodeDirectoryServiceGrpc.newBlockingStub(gateway)
                .withDeadlineAfter(CALL_SECONDS, TimeUnit.SECONDS)
                .registerNode(
                        RegisterNodeRequest.newBuilder()
                                .setNodeId(node.id().value())
                                .setChainProfileId(BenchNode.CHAIN)
                                .setNodeType(BenchNode.TYPE)
                                .setTokenSha256(Digest.of(node.token()).value())
                                .build());
    }

    /**
     * Creates a rollout from one release to the other.
     *
     * @param shape strategy, batches and targets
     * @return its id
     */
    public String create(BenchRelease from, CreateRolloutRequest shape) {
        return rollouts().createRollout(upgradeRequest(from, shape)).getRollout().getId();
    }

    /** The request that creates a rollout from one release to the other. */
    public static CreateRolloutRequest upgradeRequest(
            BenchRelease from, CreateRolloutRequest shape) {
        BenchRelease to = from.other();
        return withProgram(
                shape.toBuilder()
                        .setSourceVersion(from.version())
                        .setTargetVersion(to.version())
                        .setTargetBinaryUrl(to.url())
                        .setTargetBinaryChecksum(to.digest().value())
                        .build());
    }

    /**
     * Creates a rollout of the nodes' one program.
     *
     * @return its id
     */
    public String create(CreateRolloutRequest shape) {
        return rollouts().createRollout(withProgram(shape)).getRollout().getId();
    }

    private static CreateRolloutRequest withProgram(CreateRolloutRequest shape) {
        return shape.toBuilder()
                .setChainProfileId(BenchNode.CHAIN)
                .setNodeType(BenchNode.TYPE)
                .setBinaryName(BenchNode.PROGRAM.name().value())
                .setUnhealthyBudget(ANY_HEALTH)
                .build();
    }

    /** Cancels a rollout. */
    public void cancel(String rollout) {
        var _ =
                rollouts()
                        .cancelRollout(
                                CancelRolloutRequest.newBuilder()
                                        .setRolloutId(rollout)
                                        .setReason("It is not wanted any more.")
                                        .build());
    }

    /** Starts a rollout. */
    public void start(String rollout) {
        var _ =
                rollouts()
                        .startRollout(
                                StartRolloutRequest.newBuilder()
                                        .setRolloutId(rollout)
                                        .setReason("A measurement.")
                                        .build());
    }

    /** Starts a rollout and waits until it is over; fails when it is anything but completed. */
    public RolloutProgress runToCompletion(String rollout) {
        start(rollout);
        boolean over =
                Await.until(ENDED, POLL_INTERVAL, () -> ledger.progress(rollout).hasStopped());
        RolloutProgress end = ledger.progress(rollout);
        if (!over || !end.status().equals("completed")) {
            throw new UserFacingError(
                    "The rollout " + rollout + " is " + end + " and not completed.");
        }
        return end;
    }

    private RolloutServiceGrpc.RolloutServiceBlockingStub rollouts() {
        return RolloutServiceGrpc.newBlockingStub(coordinator)
                .withDeadlineAfter(CALL_SECONDS, TimeUnit.SECONDS);
    }

    @Override
    public void close() {
        coordinator.shutdownNow();
        gateway.shutdownNow();
    }
}
