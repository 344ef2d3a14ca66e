package drover.system.failover;

import drover.kit.grpc.Address;
import drover.rollout.v1.GetRolloutRequest;
import drover.rollout.v1.Rollout;
import drover.rollout.v1.RolloutServiceGrpc;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A client that asks the coordinators in turn, all the time, and writes down what it was told:
 * nothing that one of them has told is taken back by another.
 */
final class MonotonicReadClient implements AutoCloseable {
    private static final Duration BETWEEN = Duration.ofMillis(50);
    private static final int TIMEOUT_MILLIS = 500; // a frozen one is not waited for

    private final List<ManagedChannel> coordinators;
    private final String rollout;
    private final List<Rollout> received = new ArrayList<>();
    private final Thread thread = Thread.ofVirtual().unstarted(this::poll);
    private volatile boolean closed;

    private MonotonicReadClient(
            List<String> coordinators, DeploymentSecurity security, String rollout) {
        this.coordinators =
                coordinators.stream()
                        .map(Address::parse)
                        .map(security::connectToCoordinator)
                        .toList();
        this.rollout = rollout;
    }

    static MonotonicReadClient at(
            List<String> coordinators, DeploymentSecurity security, String rollout) {
        MonotonicReadClient onlooker = new MonotonicReadClient(coordinators, security, rollout);
        onlooker.thread.start();
        return onlooker;
    }

    private void poll() {
        for (int turn = 0; !closed; turn++) {
            poll(coordinators.get(turn % coordinators.size()));
            LockSupport.parkNanos(BETWEEN.toNanos());
        }
    }

    private void poll(ManagedChannel coordinator) {
        try {
            Rollout answer =
                    RolloutServiceGrpc.newBlockingStub(coordinator)
                            .withWaitForReady()
                            .withDeadlineAfter(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)
                            .getRollout(
                                    GetRolloutRequest.newBuilder().setRolloutId(rollout).build())
                            .getRollout();
            synchronized (received) {
                if (received.isEmpty()
                        || received.getLast().getRevision() != answer.getRevision()) {
                    received.add(answer);
                }
            }
        } catch (StatusRuntimeException e) {
            // killed, frozen, or not there yet: the other one is asked
        }
    }

    /** The revisions in the order in which they were told, each once. */
    List<Long> revisions() {
        synchronized (received) {
            return received.stream().map(Rollout::getRevision).toList();
        }
    }

    @Override
    public void close() {
        closed = true;
        coordinators.forEach(ManagedChannel::shutdownNow);
    }
}
