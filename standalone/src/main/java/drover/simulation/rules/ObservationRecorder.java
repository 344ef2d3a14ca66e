package drover.simulation.rules;

import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.PauseReason;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.request.OperatorRequest;
import drover.coordinator.store.check.HistoryInvariants;
import drover.coordinator.store.check.ObservationChecker;
import drover.coordinator.store.check.ObservationChecker.AttemptStatusRecord;
import drover.coordinator.store.check.ObservationChecker.ClientResponse;
import drover.coordinator.store.check.ObservationChecker.NodeAndInstalledDigest;
import drover.coordinator.store.check.ObservationChecker.ResponseOutcome;
import drover.coordinator.store.commit.Commit;
import drover.coordinator.store.rollout.HistoryEntry;
import drover.model.Digest;
import drover.model.NodeId;
import drover.model.RolloutId;
import drover.opsagent.journal.AttemptStatus;
import drover.opsagent.journal.ReasonCode;
import drover.simulation.world.SimulatedProgramDefinition;
import drover.simulation.world.SimulatedWorld;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * Remembers what clients and nodes saw at the time, whatever is written down; in the end the two
 * are compared by the rules that real meshes are looked at with (B8, C1, C10).
 */
public final class ObservationRecorder {
    private static final Duration FIRST_POLL = Duration.ofSeconds(1);
    private static final Duration SELDOM = Duration.ofMinutes(1); // less than the rest in the end

    private final SimulatedWorld world;
    private final Map<SimulatedWorld.OperatorRequestRecord, ResponseOutcome> outcomes =
            new LinkedHashMap<>();
    private final Map<PublishedStatusKey, AttemptStatusRecord> published = new HashMap<>();
    private final List<AttemptStatusRecord> acknowledged = new ArrayList<>();
    private final Map<NodeId, Long> at = new HashMap<>();
    private final Map<ProgramOnNode, Digest> runs = new HashMap<>();
    private final Map<AttemptOnProgram, List<ProgramStart>> starts = new LinkedHashMap<>();
    private final Set<AttemptKey> given = new HashSet<>();
    private final Set<AttemptOnProgram> succeeded = new HashSet<>();
    private final Map<RolloutId, List<SucceededAttempt>> successes = new HashMap<>();

    /** A status of an agent. */
    private record PublishedStatusKey(AttemptKey work, long sequence) {}

    /** A node's attempt. */
    private record AttemptKey(NodeId node, long attempt) {}

    /** Where a program runs. */
    private record ProgramOnNode(NodeId node, SimulatedProgramDefinition product) {
        NodeAndInstalledDigest toInstalled(Digest program) {
            return new NodeAndInstalledDigest(node + " as " + product, program.value());
        }
    }

    /** What an attempt did to a program. */
    private record AttemptOnProgram(ProgramOnNode place, AttemptKey work) {}

    /** A start of whatever lay there, of another program than before or of the same. */
    private record ProgramStart(Digest program, boolean isChange) {}

    ObservationRecorder(SimulatedWorld world) {
        this.world = world;
    }

    /** Whoever asks looks what came of it, ever more seldom, until there is an answer. */
    void recordAndPollRequest(SimulatedWorld.OperatorRequestRecord requested) {
        outcomes.put(requested, ResponseOutcome.NONE);
        pollDecision(requested, FIRST_POLL);
    }

    private void pollDecision(SimulatedWorld.OperatorRequestRecord requested, Duration pause) {
        world.time.scheduleAfter(
                pause,
                () -> {
                    String state = world.store.requestStatus(requested.id()).orElseThrow().state();
                    if (state.equals("pending")) {
                        Duration twice = pause.multipliedBy(2);
                        pollDecision(requested, twice.compareTo(SELDOM) < 0 ? twice : SELDOM);
                    } else {
                        outcomes.put(requested, outcome(state));
                    }
                });
    }

    private static ResponseOutcome outcome(String state) {
        return switch (state) {
            case "applied" -> ResponseOutcome.APPLIED;
            case "refused" -> ResponseOutcome.REFUSED;
            default -> ResponseOutcome.NONE; // it came too late, and nothing was done
        };
    }

    /** An agent says how its attempt is. */
    void recordStatus(NodeId node, AttemptStatus status) {
        AttemptKey work = new AttemptKey(node, status.journal().attempt());
        at.put(node, work.attempt());
        published.put(
                new PublishedStatusKey(work, status.sequence()),
                new AttemptStatusRecord(
                        node.value(),
                        work.attempt(),
                        status.sequence(),
                        status.journal().ending().outcome().name(),
                        !status.isTerminal() || isDiskError(status)));
    }

    /**
     * The one end that may be followed by another, as it counts for {@link
     * SafetyInvariants#agentStarted}: the disk took no journal of it, so that an agent which starts
     * anew takes the attempt up again.
     */
    private static boolean isDiskError(AttemptStatus status) {
        return status.journal().ending().reason() == ReasonCode.DISK_ERROR;
    }

    /** It hears that this is written down; a clear is no attempt of a rollout. */
    void recordAcknowledgement(NodeId node, long attempt, long sequence) {
        AttemptKey work = new AttemptKey(node, attempt);
        AttemptStatusRecord received = published.get(new PublishedStatusKey(work, sequence));
        if (received != null && given.contains(work)) {
            acknowledged.add(received);
        }
    }

    /** A program is started, by an attempt or because it was gone. */
    void recordProgramStart(NodeId node, SimulatedProgramDefinition product, Digest program) {
        ProgramOnNode place = new ProgramOnNode(node, product);
        Digest before = runs.getOrDefault(place, product.digest(1)); // it was laid out with it
        runs.put(place, program);
        AttemptKey work = new AttemptKey(node, at.getOrDefault(node, 0L));
        starts.computeIfAbsent(new AttemptOnProgram(place, work), _ -> new ArrayList<>())
                .add(new ProgramStart(program, !program.equals(before)));
    }

    void recordCommit(Commit commit) {
        commit.attempts().forEach(each -> given.add(new AttemptKey(each.node(), each.attempt())));
        commit.history().stream() // in the rows: a node may be taken back in the same commit
                .filter(ObservationRecorder::isUpgradeSuccess)
                .map(row -> commit.before().nodes().get(new NodeId(row.node())))
                .filter(Objects::nonNull)
                .forEach(node -> recordSuccess(commit.before(), node));
    }

    /** A retry of a node that runs the target already needs no start. */
    private void recordSuccess(Rollout rollout, NodeUpgrade node) {
        AttemptOnProgram turn = attemptOn(rollout, node);
        succeeded.add(turn);
        boolean runs = rollout.spec().targetDigest().equals(this.runs.get(turn.place()));
        successes
                .computeIfAbsent(rollout.id(), _ -> new ArrayList<>())
                .add(new SucceededAttempt(turn, runs));
    }

    /**
     * An attempt that counts as succeeded.
     *
     * @param runs whether the target was the last program that was started there
     */
    private record SucceededAttempt(AttemptOnProgram attempt, boolean runs) {}

    private static AttemptOnProgram attemptOn(Rollout rollout, NodeUpgrade node) {
        ProgramOnNode place =
                new ProgramOnNode(
                        node.id(), SimulatedProgramDefinition.named(rollout.spec().binary()));
        return new AttemptOnProgram(place, new AttemptKey(node.id(), node.attempt()));
    }

    private static boolean isUpgradeSuccess(HistoryEntry row) {
        return !row.node().isEmpty()
                && row.to().equals("succeeded")
                && !row.from().equals("unhealthy"); // healthy again: it ran all the time
    }

    /** A sentence for each thing in which what is written is not what was seen. */
    public List<String> findViolations() {
        List<String> broken = new ArrayList<>();
        List<NodeAndInstalledDigest> received = new ArrayList<>();
        List<HistoryEntry> histories = new ArrayList<>();
        for (Rollout rollout : world.store.rollouts()) {
            List<HistoryEntry> rows = world.store.history(rollout.id());
            broken.addAll(
                    HistoryInvariants.violations(rows, NodeHealthInvariants.limitsOf(rollout)));
            broken.addAll(ObservationChecker.requestViolations(rows, clientResponses(rollout)));
            histories.addAll(rows);
            received.addAll(listInstalled(rollout, rows));
        }
        broken.addAll(ObservationChecker.startViolations(received, successfulInstallations()));
        broken.addAll(
                ObservationChecker.lostStatusViolations(
                        acknowledged, world.store.latestStatuses(), histories));
        return broken;
    }

    private List<NodeAndInstalledDigest> listInstalled(Rollout rollout, List<HistoryEntry> rows) {
        SimulatedProgramDefinition product =
                SimulatedProgramDefinition.named(rollout.spec().binary());
        Iterator<SucceededAttempt> of = successes.getOrDefault(rollout.id(), List.of()).iterator();
        return rows.stream()
                .filter(ObservationRecorder::isUpgradeSuccess)
                .filter(_ -> !of.hasNext() || countsAsInstalled(of.next()))
                .map(row -> new ProgramOnNode(new NodeId(row.node()), product))
                .map(place -> place.toInstalled(rollout.spec().targetDigest()))
                .toList();
    }

    private boolean countsAsInstalled(SucceededAttempt success) {
        return !success.runs() || starts.containsKey(success.attempt());
    }

    /** By what succeeded; what failed has been brought there and back, or never came. */
    private List<NodeAndInstalledDigest> successfulInstallations() {
        List<NodeAndInstalledDigest> started = new ArrayList<>();
        starts.forEach(
                (turn, all) -> {
                    if (succeeded.contains(turn)) {
                        listInstalled(all)
                                .forEach(each -> started.add(turn.place().toInstalled(each)));
                    }
                });
        return started;
    }

    /**
     * Every change of the program; what is started again is none, unless the attempt found there
     * what it was to bring, as after an upgrade that could not be taken back.
     */
    private static List<Digest> listInstalled(List<ProgramStart> starts) {
        List<Digest> changes =
                starts.stream().filter(ProgramStart::isChange).map(ProgramStart::program).toList();
        return changes.isEmpty() ? List.of(starts.getFirst().program()) : changes;
    }

    private List<ClientResponse> clientResponses(Rollout rollout) {
        List<ClientResponse> answers = new ArrayList<>();
        outcomes.forEach(
                (requested, word) -> {
                    if (requested.rollout().equals(rollout.id())) {
                        historyCode(requested.request())
                                .ifPresent(
                                        code ->
                                                answers.add(
                                                        new ClientResponse(
                                                                requested.actor(), code, word)));
                    }
                });
        return answers;
    }

    /** What history calls the move, of those that are asked for in one way alone. */
    private static Optional<String> historyCode(OperatorRequest request) {
        return switch (request) {
            case OperatorRequest.Start _ -> Optional.of("STARTED");
            case OperatorRequest.Pause _ -> Optional.of(PauseReason.OPERATOR.name());
            case OperatorRequest.Resume _ -> Optional.of("RESUMED");
            case OperatorRequest.Cancel _,
                    OperatorRequest.Approve _,
                    OperatorRequest.Force _,
                    OperatorRequest.Rollback _,
                    OperatorRequest.RetryNode _,
                    OperatorRequest.SkipNode _,
                    OperatorRequest.SkipNodes _,
                    OperatorRequest.HoldNode _,
                    OperatorRequest.ReleaseNode _,
                    OperatorRequest.Unknown _ ->
                    Optional.empty(); // asked for in several ways, or told of nodes
        };
    }
}
