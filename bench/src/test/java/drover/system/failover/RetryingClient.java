package drover.system.failover;

import static org.awaitility.Awaitility.await;

import com.google.protobuf.util.Durations;
import drover.bench.fleet.BenchNode.BenchRelease;
import drover.coordinator.store.check.ObservationChecker.ClientResponse;
import drover.coordinator.store.check.ObservationChecker.ResponseOutcome;
import drover.kit.access.Principal;
import drover.kit.grpc.Address;
import drover.kit.grpc.RefusalParser;
import drover.model.RefusalCode;
import drover.rollout.v1.CancelRolloutRequest;
import drover.rollout.v1.CreateRolloutRequest;
import drover.rollout.v1.PauseRolloutRequest;
import drover.rollout.v1.RequestReceipt;
import drover.rollout.v1.RequestState;
import drover.rollout.v1.ResumeRolloutRequest;
import drover.rollout.v1.RolloutServiceGrpc;
import drover.rollout.v1.RolloutServiceGrpc.RolloutServiceBlockingStub;
import drover.rollout.v1.StartRolloutRequest;
import drover.rollout.v1.Strategy;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.MetadataUtils;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Asks one coordinator, and the other one when that does not answer, the same thing under the same
 * key until it is answered, and writes down what it was told in the end.
 */
final class RetryingClient implements ConsistencyCheck.Answered, AutoCloseable {
    private static final Duration STUBBORN = Duration.ofMinutes(8); // everything away, and more
    private static final Duration BETWEEN = Duration.ofMillis(200);
    private static final int TIMEOUT_SECONDS = 5; // the door itself waits 2 s for a decision
    private static final Metadata.Key<String> KEY =
            Metadata.Key.of("idempotency-key", Metadata.ASCII_STRING_MARSHALLER);

    private final DeploymentSecurity security;
    private final List<ManagedChannel> coordinators;
    private final Map<String, List<ClientResponse>> answers = new HashMap<>(); // by rollout
    private final List<String> created = new ArrayList<>();
    private int turn;

    /** Of a mesh in which nothing is proven. */
    RetryingClient(List<String> coordinators) {
        this(coordinators, DeploymentSecurity.plaintext());
    }

    RetryingClient(List<String> coordinators, DeploymentSecurity security) {
        this.security = security;
        this.coordinators =
                coordinators.stream()
                        .map(Address::parse)
                        .map(security::connectToCoordinator)
                        .toList();
    }

    /** Asks this one next, by its place among them. */
    synchronized void turnTo(int coordinator) {
        turn = coordinator;
    }

    /** Creates a rollout of one node after the other; returns its id. */
    String create(BenchRelease from) {
        return create(from, CreateRolloutRequest.getDefaultInstance());
    }

    /** The same, in which each node must be well for so long. */
    String create(BenchRelease from, Duration hold) {
        return create(
                from,
                CreateRolloutRequest.newBuilder()
                        .setHealthWaitDuration(Durations.fromMillis(hold.toMillis()))
                        .build());
    }

    private synchronized String create(BenchRelease from, CreateRolloutRequest shape) {
        CreateRolloutRequest request =
                security.upgrade(
                        from,
                        shape.toBuilder()
                                .setStrategy(Strategy.STRATEGY_ROLLING)
                                .setBatchSize(1)
                                .build());
        String id = answered(stub -> Optional.of(stub.createRollout(request).getRollout().getId()));
        created.add(id);
        return id;
    }

    ResponseOutcome start(String rollout) {
        StartRolloutRequest request =
                StartRolloutRequest.newBuilder()
                        .setRolloutId(rollout)
                        .setReason("To see it through.")
                        .build();
        return submit(rollout, "STARTED", stub -> stub.startRollout(request).getRequest());
    }

    ResponseOutcome pause(String rollout) {
        PauseRolloutRequest request =
                PauseRolloutRequest.newBuilder()
                        .setRolloutId(rollout)
                        .setReason("To look at it.")
                        .build();
        return submit(rollout, "OPERATOR", stub -> stub.pauseRollout(request).getRequest());
    }

    ResponseOutcome resume(String rollout) {
        ResumeRolloutRequest request =
                ResumeRolloutRequest.newBuilder()
                        .setRolloutId(rollout)
                        .setReason("It looks well.")
                        .build();
        return submit(rollout, "RESUMED", stub -> stub.resumeRollout(request).getRequest());
    }

    ResponseOutcome cancel(String rollout) {
        CancelRolloutRequest request =
                CancelRolloutRequest.newBuilder()
                        .setRolloutId(rollout)
                        .setReason("The rest has time.")
                        .build();
        return submit(rollout, "CANCELLED", stub -> stub.cancelRollout(request).getRequest());
    }

    private synchronized ResponseOutcome submit(
            String rollout,
            String code,
            Function<RolloutServiceBlockingStub, RequestReceipt> call) {
        ResponseOutcome word = ResponseOutcome.NONE;
        try {
            word =
                    answered(
                            stub ->
                                    call.apply(stub).getState()
                                                    == RequestState.REQUEST_STATE_APPLIED
                                            ? Optional.of(ResponseOutcome.APPLIED)
                                            : Optional.empty());
        } catch (StatusRuntimeException e) {
            word = refusal(e);
        } finally {
            answers.computeIfAbsent(rollout, _ -> new ArrayList<>())
                    .add(new ClientResponse(Principal.LOCAL.actor(), code, word));
        }
        return word;
    }

    /** The rules' word, or else a bug. */
    private static ResponseOutcome refusal(StatusRuntimeException answer) {
        return switch (answer.getStatus().getCode()) {
            case FAILED_PRECONDITION -> ResponseOutcome.REFUSED;
            default -> throw new AssertionError("No client is ever answered so.", answer);
        };
    }

    /** Asks until there is an answer; throws what says no. */
    private <T> T answered(Function<RolloutServiceBlockingStub, Optional<T>> call) {
        Metadata key = new Metadata();
        key.put(KEY, UUID.randomUUID().toString());
        return await().atMost(STUBBORN)
                .pollInterval(BETWEEN)
                .until(() -> once(key, call), Optional::isPresent)
                .orElseThrow();
    }

    private <T> Optional<T> once(
            Metadata key, Function<RolloutServiceBlockingStub, Optional<T>> call) {
        try {
            return call.apply(
                    RolloutServiceGrpc.newBlockingStub(coordinators.get(turn % coordinators.size()))
                            .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(key))
                            .withDeadlineAfter(TIMEOUT_SECONDS, TimeUnit.SECONDS));
        } catch (StatusRuntimeException e) {
            turn++;
            return switch (e.getStatus().getCode()) {
                case UNAVAILABLE, DEADLINE_EXCEEDED, CANCELLED, RESOURCE_EXHAUSTED, ABORTED ->
                        Optional.empty();
                default -> later(e);
            };
        }
    }

    /** A creation from a directory that is too old is asked for again, as an operator does. */
    private static <T> Optional<T> later(StatusRuntimeException answer) {
        boolean stale =
                RefusalParser.from(answer)
                        .filter(no -> no.code() == RefusalCode.INVENTORY_STALE)
                        .isPresent();
        if (!stale) {
            throw answer;
        }
        return Optional.empty();
    }

    @Override
    public synchronized List<String> created() {
        return List.copyOf(created);
    }

    @Override
    public synchronized List<ClientResponse> answers(String rollout) {
        return List.copyOf(answers.getOrDefault(rollout, List.of()));
    }

    @Override
    public void close() {
        coordinators.forEach(ManagedChannel::shutdownNow);
    }
}
