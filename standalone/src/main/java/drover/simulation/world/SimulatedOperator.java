package drover.simulation.world;

import drover.coordinator.plan.batch.CanaryEvidence;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.PauseReason;
import drover.coordinator.plan.model.RollbackHealthPolicy;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.RolloutFailureReason;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.model.Strategy;
import drover.coordinator.plan.request.OperatorNodeRequest;
import drover.coordinator.plan.request.OperatorRequest;
import drover.coordinator.store.incident.IncidentViews.Incident;
import drover.coordinator.store.incident.IncidentViews.Query;
import drover.coordinator.store.incident.IncidentViews.State;
import drover.coordinator.store.memory.InMemoryIncidentStore;
import drover.model.NodeId;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The person at the terminal: at random while faults last, then patient and helpful. */
public final class SimulatedOperator {
    public static final Query ALL_INCIDENTS =
            new Query(null, null, "", null, null, Integer.MAX_VALUE);

    private final SimulatedWorld world;
    private final SeededRandom randomSource;
    private boolean random = true;

    public SimulatedOperator(SimulatedWorld world) {
        this.world = world;
        this.randomSource = world.random;
    }

    /** Begins to act at random. */
    public void startRandomActions() {
        world.time.scheduleAfter(
                randomSource.between(Duration.ofSeconds(2), Duration.ofSeconds(20)),
                () -> {
                    if (random) {
                        actAtRandom();
                        startRandomActions();
                    }
                });
    }

    public void stopRandomActions() {
        random = false;
    }

    private void actAtRandom() {
        maybeUpdateIncident();
        List<Rollout> rollouts = world.store.rollouts();
        boolean none = rollouts.stream().allMatch(rollout -> rollout.state().isFinal());
        long alone = rollouts.stream().filter(rollout -> !rollout.spec().isInGroup()).count();
        int most =
                world.products.size() == 1 ? 4 : 2; // where groups are tried they have their turn
        if (none && alone < most && randomSource.nextBooleanPercent(70)) {
            world.tryCreateRollout(
                    CreationRequestFactory.rolloutRequest(
                            CreationRequestFactory.randomChoice(randomSource),
                            randomProgram(),
                            1 + randomSource.nextInt(SimulatedWorld.RELEASES),
                            world.randomConduct()));
            return;
        }
        if (maybeClearNode()) {
            return;
        }
        if (!rollouts.isEmpty()) {
            Rollout rollout =
                    randomSource.nextBooleanPercent(85)
                            ? rollouts.getLast()
                            : randomSource.pickOne(rollouts);
            OperatorRequest request = randomRequest(rollout);
            String actor = actorFor(rollout, request);
            world.submitRolloutRequest(
                    rollout.id(),
                    request,
                    randomSource.nextBooleanPercent(10) ? SimulatedWorld.CREATOR : actor);
        }
    }

    /** Looks after one, or says that it is over: a word that nobody takes back (F6). */
    private void maybeUpdateIncident() {
        InMemoryIncidentStore incidents = world.store.incidents();
        List<UUID> unresolved =
                incidents.list(ALL_INCIDENTS).stream()
                        .filter(one -> one.state() != State.RESOLVED)
                        .map(Incident::id)
                        .toList();
        if (unresolved.isEmpty() || world.lateFaultRandom.nextBooleanPercent(85)) {
            return;
        }
        UUID one = world.lateFaultRandom.pickOne(unresolved);
        if (world.lateFaultRandom.nextBooleanPercent(50)) {
            incidents.acknowledge(one, SimulatedWorld.SECOND, "looks at it");
            world.counts.count("incident acknowledged");
        } else {
            incidents.resolve(one, SimulatedWorld.SECOND, "put right by hand");
            world.counts.count("incident resolved");
        }
    }

    private SimulatedProgramDefinition randomProgram() {
        return world.products.size() == 1
                ? world.products.getFirst()
                : world.lateFaultRandom.pickOne(world.products);
    }

    /** Rather a node with a mark than another; of any other it is refused. */
    private boolean maybeClearNode() {
        List<NodeId> marked = clearableNodes();
        boolean clears = randomSource.nextBooleanPercent(marked.isEmpty() ? 1 : 40);
        if (clears) {
            NodeId any = randomSource.pickOne(world.nodes).id;
            world.submitNodeRequest(
                    marked.isEmpty() ? any : randomSource.pickOne(marked),
                    OperatorNodeRequest.CLEAR);
        }
        return clears;
    }

    /** Those that somebody can still look at. */
    private List<NodeId> clearableNodes() {
        return world.store.failedRollbackNodes().stream()
                .filter(node -> !world.node(node).isScrapped())
                .sorted()
                .toList();
    }

    private OperatorRequest randomRequest(Rollout rollout) {
        NodeId node = randomNodePreferringFailed(rollout);
        return switch (randomSource.nextInt(21)) {
            case 0, 1, 2, 3 -> new OperatorRequest.Start();
            case 4 -> new OperatorRequest.Pause();
            case 5, 6, 7 -> acknowledgingResume(rollout);
            case 8 -> new OperatorRequest.Resume(randomSource.nextInt(2));
            case 9 ->
                    randomSource.nextBooleanPercent(30)
                            ? new OperatorRequest.Cancel()
                            : startOrResume(rollout);
            case 10 ->
                    randomSource.nextBooleanPercent(50) ? randomRollback() : startOrResume(rollout);
            case 11, 12 -> approval(rollout);
            case 13, 14 -> new OperatorRequest.RetryNode(node);
            case 15 -> randomSkip(rollout, node);
            case 16 -> randomHold(rollout);
            case 17 -> new OperatorRequest.ReleaseNode(node);
            default ->
                    randomSource.nextBooleanPercent(40)
                            ? new OperatorRequest.Force()
                            : startOrResume(rollout);
        };
    }

    private OperatorRequest randomRollback() {
        return new OperatorRequest.Rollback(
                world.lateFaultRandom.nextBooleanPercent(60)
                        ? Optional.empty()
                        : Optional.of(
                                world.lateFaultRandom.pickOne(
                                        List.of(RollbackHealthPolicy.values()))));
    }

    /** One, two at once, or all that hold it up. */
    private OperatorRequest randomSkip(Rollout rollout, NodeId node) {
        if (world.lateFaultRandom.nextBooleanPercent(50)) {
            return new OperatorRequest.SkipNode(node);
        }
        NodeId another = world.lateFaultRandom.pickOne(List.copyOf(rollout.nodes().keySet()));
        return new OperatorRequest.SkipNodes(
                world.lateFaultRandom.nextBooleanPercent(60) ? List.of() : List.of(node, another));
    }

    private OperatorRequest randomHold(Rollout rollout) {
        NodeId any = randomSource.pickOne(List.copyOf(rollout.nodes().keySet()));
        Duration length = randomSource.between(Duration.ofSeconds(5), Duration.ofMinutes(4));
        return new OperatorRequest.HoldNode(any, world.time.now().plus(length));
    }

    /** An approval on what there is to see; on nothing while none is awaited. */
    public static OperatorRequest approval(Rollout rollout) {
        return new OperatorRequest.Approve(
                CanaryEvidence.of(rollout).map(evidence -> evidence.digest().value()).orElse(""));
    }

    private static OperatorRequest startOrResume(Rollout rollout) {
        return rollout.state() instanceof RolloutState.Pending
                ? new OperatorRequest.Start()
                : acknowledgingResume(rollout);
    }

    /** Acknowledges what paused it, as far as the rollout itself shows it. */
    private static OperatorRequest acknowledgingResume(Rollout rollout) {
        boolean restored =
                rollout.state() instanceof RolloutState.Paused paused
                        && paused.from() instanceof RolloutState.RollingBack;
        boolean targets =
                rollout.state() instanceof RolloutState.Paused paused
                        && paused.reason() == PauseReason.TARGETS_UNHEALTHY;
        if (targets) {
            return new OperatorRequest.Resume(0);
        }
        return new OperatorRequest.Resume(
                restored ? countRestoredToAcknowledge(rollout) : rollout.thresholdFailureCount());
    }

    private static int countRestoredToAcknowledge(Rollout rollout) {
        boolean requested =
                rollout.state() instanceof RolloutState.Paused paused
                        && paused.reason() == PauseReason.RESTORED_UNHEALTHY;
        return !requested
                ? 0
                : (int)
                        rollout.nodes().values().stream()
                                .filter(
                                        node ->
                                                switch (node.state()) {
                                                    case NodeState.RolledBack back ->
                                                            back.finding().isPresent();
                                                    case NodeState.FailedRollback failed ->
                                                            isOfRollback(failed.restore());
                                                    case NodeState.Unreachable lost ->
                                                            isOfRollback(lost.restore());
                                                    default -> false;
                                                })
                                .count();
    }

    private static boolean isOfRollback(NodeState.@Nullable RestorePurpose restore) {
        return restore == NodeState.RestorePurpose.ROLLBACK;
    }

    /** Rather one that has failed than any other. */
    private NodeId randomNodePreferringFailed(Rollout rollout) {
        List<NodeId> failed =
                rollout.nodes().values().stream()
                        .filter(node -> node.state().isFailure())
                        .map(NodeUpgrade::id)
                        .toList();
        return failed.isEmpty() || randomSource.nextBooleanPercent(40)
                ? randomSource.pickOne(List.copyOf(rollout.nodes().keySet()))
                : randomSource.pickOne(failed);
    }

    /** Helps every rollout on that can be helped; false when none could. */
    public boolean requestContinuation() {
        List<NodeId> marked = clearableNodes();
        marked.forEach(node -> world.submitNodeRequest(node, OperatorNodeRequest.CLEAR));
        boolean helped = !marked.isEmpty();
        for (Rollout rollout : world.store.rollouts()) {
            boolean requested =
                    switch (rollout.state()) {
                        case RolloutState.Pending pending ->
                                !rollout.spec().isInGroup()
                                        && request(rollout, new OperatorRequest.Start());
                        case RolloutState.AwaitingApproval awaiting ->
                                request(rollout, approval(rollout));
                        case RolloutState.Paused paused -> requestContinuation(rollout, paused);
                        case RolloutState.Running running -> false;
                        case RolloutState.Cancelling cancelling -> false;
                        case RolloutState.RollingBack back -> false;
                        case RolloutState.Failed failed -> requestRepeatedRollback(rollout, failed);
                        case RolloutState.Ended ended -> false;
                    };
            helped |= requested;
        }
        return helped;
    }

    /**
     * A node that rejected its restore was repaired and cleared: its rollout is rolled back again.
     */
    private boolean requestRepeatedRollback(Rollout rollout, RolloutState.Failed failed) {
        boolean cleared =
                rollout.nodes().values().stream()
                        .filter(node -> node.state() instanceof NodeState.FailedRollback)
                        .filter(node -> node.installedBy() != 0 && node.attempts() < 6)
                        .anyMatch(node -> !world.store.failedRollbackNodes().contains(node.id()));
        return cleared
                && failed.reason() == RolloutFailureReason.ROLLBACK_INCOMPLETE
                && request(rollout, new OperatorRequest.Rollback());
    }

    private boolean requestContinuation(Rollout rollout, RolloutState.Paused paused) {
        boolean failed = paused.reason() == PauseReason.FAILED_NODES_REMAIN;
        if (!failed) {
            return !rollout.spec().isInGroup() // its group is resumed
                    && request(rollout, acknowledgingResume(rollout));
        }
        return rollout.nodes().values().stream()
                .filter(node -> node.state().isFailure())
                .findFirst()
                .map(node -> request(rollout, retryOrSkip(node)))
                .orElse(false);
    }

    /** A node that a clear was requested for is retried once it is cleared. */
    private OperatorRequest retryOrSkip(NodeUpgrade node) {
        boolean marked =
                node.state() instanceof NodeState.FailedRollback
                        && world.store.failedRollbackNodes().contains(node.id());
        boolean again = node.attempts() < 3 && (!marked || clearableNodes().contains(node.id()));
        return again
                ? new OperatorRequest.RetryNode(node.id())
                : new OperatorRequest.SkipNode(node.id());
    }

    /** A second person lets things go on (A9, A16); everything else is the creator's. */
    public static String actorFor(Rollout rollout, OperatorRequest request) {
        boolean second =
                switch (request) {
                    case OperatorRequest.Approve a -> true;
                    case OperatorRequest.Force f -> true;
                    case OperatorRequest.Start s -> needsTwoPersons(rollout);
                    default -> false;
                };
        return second ? SimulatedWorld.SECOND : SimulatedWorld.CREATOR;
    }

    /** Reckoned here, for the rules that are checked must not be asked. */
    public static boolean needsTwoPersons(Rollout rollout) {
        int all = rollout.nodes().size();
        int first =
                switch (rollout.spec().strategy()) {
                    case Strategy.AllAtOnce once -> all;
                    case Strategy.Rolling(int size) -> Math.min(size, all);
                    case Strategy.Canary(int canary, int size) -> Math.min(canary, all);
                    case Strategy.Progressive ladder -> Math.min(1, all);
                };
        int chain = rollout.spec().oversight().chainNodes();
        boolean many = chain > 0 && first * 5 > chain;
        return rollout.spec().strategy() instanceof Strategy.AllAtOnce once
                ? once.forceContinue() || once.skipValidation() || many
                : many && first > 5;
    }

    /** For a transcript, which is the same whatever a digest is. */
    static String describe(OperatorRequest request) {
        return request instanceof OperatorRequest.Approve ? "Approve[]" : request.toString();
    }

    /** For example {@code retry}. */
    public static String name(OperatorRequest request) {
        return request.getClass()
                .getSimpleName()
                .replace("Nodes", " together")
                .replace("Node", "")
                .toLowerCase(java.util.Locale.ROOT);
    }

    private boolean request(Rollout rollout, OperatorRequest request) {
        world.submitRolloutRequest(rollout.id(), request, actorFor(rollout, request));
        return true;
    }
}
