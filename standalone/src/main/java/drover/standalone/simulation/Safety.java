package drover.standalone.simulation;

import drover.coordinator.peers.GatewayLink.Acknowledgement;
import drover.coordinator.peers.GatewayLink.Delivery;
import drover.coordinator.plan.NodeState;
import drover.coordinator.plan.NodeUpgrade;
import drover.coordinator.plan.Rollout;
import drover.coordinator.plan.RolloutSpec;
import drover.coordinator.plan.RolloutState;
import drover.coordinator.plan.Words;
import drover.coordinator.plan.group.GroupRequest;
import drover.coordinator.store.Commit;
import drover.coordinator.store.GroupLedger.GroupCommit;
import drover.coordinator.store.HistoryRow;
import drover.evaluator.assess.ProgramSignal;
import drover.evaluator.assess.ProgramWatch;
import drover.evaluator.assess.Verdict;
import drover.evaluator.assess.VerdictReport;
import drover.model.AttemptOutcome;
import drover.model.Digest;
import drover.model.NodeId;
import drover.opsagent.disk.Disk;
import drover.opsagent.runtime.Processes;
import drover.opsagent.script.AttemptStatus;
import drover.opsagent.script.ReasonCode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * What must hold after every event, seen from outside: it knows what truly is on the nodes, what
 * was committed, and what was said. The ids are those of the invariants.
 */
final class Safety implements WorldObserver {
    private final World world;
    private final Witness witness;
    private final List<String> violations = new ArrayList<>();
    private final Map<NodeId, Said> said = new HashMap<>();
    private final Set<NodeId> unkept = new HashSet<>();
    private final Map<NodeId, Long> allotted = new HashMap<>();
    private final Map<NodeId, Long> open = new HashMap<>();
    private final Set<String> healthy = new HashSet<>();
    private final GateRules gates;
    private final RequestRules requests;
    private final ProofRules proofs;
    private final StoryRules story;
    private final MoveRules moves;
    private final SendRules sends;
    private final SightRules sight;
    private final GroupRules groups;
    private final ComponentRules components;
    private final IncidentWatch incidents;
    private final RetireRules retirements;
    private final HealthRules health;
    private long epoch;

    /**
     * What an agent told last.
     *
     * @param forgettable whether it may not have been kept, so that the agent does not know it
     */
    private record Said(long attempt, long sequence, AttemptOutcome outcome, boolean forgettable) {}

    Safety(World world) {
        this.world = world;
        this.witness = new Witness(world);
        this.gates = new GateRules(this, world.time::now);
        this.requests = new RequestRules(world, this, gates);
        this.proofs = new ProofRules(world, this);
        this.story = new StoryRules(world, this);
        this.moves = new MoveRules(this);
        this.sends = new SendRules(world, this);
        this.sight = new SightRules(world, this);
        this.groups = new GroupRules(world, this);
        this.components = new ComponentRules(world, this, requests, sight);
        this.incidents = new IncidentWatch(world, this);
        this.retirements = new RetireRules(world, this);
        this.health = new HealthRules(world, this);
    }

    /** Everything that did not hold. */
    List<String> violations() {
        return List.copyOf(violations);
    }

    @Override
    public void violated(String what) {
        violations.add(what);
    }

    void require(boolean holds, String otherwise) {
        if (!holds) {
            violations.add(otherwise);
        }
    }

    @Override
    public void calls(SimulatedCoordinator coordinator) {
        sight.calls(coordinator);
    }

    RetireRules retirements() {
        return retirements;
    }

    /** What clients and nodes saw. */
    Witness witness() {
        return witness;
    }

    /** Whether failures do not stop the rollout. */
    boolean isForced(Rollout rollout) {
        return gates.isForced(rollout);
    }

    /** Whether no later leader has written anything. */
    boolean leads(long by) {
        return by == epoch;
    }

    @Override
    public void asked(World.Asked asked) {
        witness.asked(asked);
        requests.asked(asked.id(), asked.request(), asked.actor());
    }

    @Override
    public void groupRequested(UUID id, GroupRequest request, String actor) {
        groups.asked(id, request, actor);
    }

    @Override
    public void retirementRequested(NodeId node, UUID request) {
        retirements.asked(node, request);
    }

    @Override
    public void sent(Delivery delivery) {
        sends.sent(delivery);
    }

    @Override
    public void acknowledgementSent(Acknowledgement acknowledgement) {
        sends.acknowledged(acknowledgement);
    }

    /** Whether an attempt of the node is not closed. */
    boolean hasWorkOpen(NodeId node) {
        return open.containsKey(node);
    }

    /** An agent publishes a status: it never takes back what it said (C2, C3, C9). */
    @Override
    public void published(NodeId node, AttemptStatus status) {
        witness.published(node, status);
        long attempt = status.journal().attempt();
        AttemptOutcome outcome =
                status.isTerminal()
                        ? status.journal().ending().outcome()
                        : AttemptOutcome.IN_PROGRESS;
        if (status.journal().ending().reason() == ReasonCode.DISK_ERROR) {
            unkept.add(node);
        } else {
            unkept.remove(node);
        }
        require(
                status.journal().ending().reason() != ReasonCode.NO_BACKUP,
                "D8: node " + node + " is asked for a backup that is gone, attempt " + attempt);
        Said before = said.get(node);
        Said now = new Said(attempt, status.sequence(), outcome, false);
        said.put(node, now);
        if (before == null) {
            return;
        }
        require(
                attempt >= before.attempt(),
                "C4: node " + node + " went back from " + before + " to " + now);
        if (attempt == before.attempt() && before.outcome().isTerminal() && !before.forgettable()) {
            String id = before.outcome() == AttemptOutcome.WITHDRAWN ? "A12" : "C2";
            require(
                    outcome == before.outcome(),
                    id + ": node " + node + " went on from " + before + " to " + now);
        }
        if (attempt > before.attempt()) {
            require(
                    before.outcome().isTerminal(),
                    "C5: node " + node + " began " + now + " while at " + before);
        }
    }

    /**
     * An agent starts. What it told because the disk took no journal may not have outlived it: the
     * one end that is taken up again, while the leader keeps the node marked until it is cleared.
     */
    @Override
    public void restarts(NodeId node) {
        if (unkept.remove(node)) {
            said.computeIfPresent(
                    node,
                    (_, last) -> new Said(last.attempt(), last.sequence(), last.outcome(), true));
        }
    }

    /** A program is started (D3), and it is the only one (D4). */
    @Override
    public void spawned(
            NodeId node, Product product, Processes.Order order, Disk disk, long others) {
        Digest program = disk.digest(order.program());
        Digest config = disk.digest(Machine.on(product.configPath()));
        String launch = String.valueOf(order.environment().get("VERSION"));
        boolean whole =
                Product.numbers()
                        .anyMatch(
                                number ->
                                        program.equals(product.digest(number))
                                                && config.equals(Digest.of(product.config(number)))
                                                && launch.equals(Product.version(number)));
        witness.spawned(node, product, program);
        require(whole, "D3: node " + node + " starts a mixture, launched as " + launch);
        require(others == 0, "D4: node " + node + " starts a second program");
    }

    /** An agent hears that a status is committed (C10). */
    @Override
    public void acknowledged(NodeId node, long attempt, long sequence) {
        witness.acknowledged(node, attempt, sequence);
        require(
                world.store.sequenceOf(node, attempt) >= sequence,
                "C10: node " + node + " is acknowledged " + attempt + "/" + sequence);
    }

    /** A verdict is told: healthy is only what shows it (F1, F2, F3, F4). */
    @Override
    public void judged(VerdictReport judgement) {
        health.judged(judgement);
        if (!(judgement.verdict() instanceof Verdict.Healthy)) {
            return;
        }
        if (!(judgement.watch() instanceof ProgramWatch watch)) {
            groups.wellAsAWhole(judgement.watch().node());
            return;
        }
        healthy.add(watch.node() + "/" + watch.attempt());
        require(judgement.signal().isPresent(), "F3: healthy without data");
        judgement.signal().ifPresent(signal -> well(watch, signal));
    }

    private void well(ProgramWatch watch, ProgramSignal signal) {
        require(
                signal.runningDigest().equals(watch.digest().value()),
                "F2: healthy although another program runs on " + watch.node());
        boolean config =
                watch.configDigest()
                        .filter(wanted -> !wanted.value().equals(signal.configDigest()))
                        .isEmpty();
        require(config, "F2: healthy although the configuration differs on " + watch.node());
        require(
                signal.runId().equals(watch.runId()) || signal.restarts() > 0,
                "F1: healthy by a run from before the attempt on " + watch.node());
        require(
                signal.restarts() < watch.policy().crashLoopRestarts(),
                "F4: healthy although it fell " + signal.restarts() + " times on " + watch.node());
        require(
                signal.wellFor().compareTo(watch.hold()) >= 0
                        && signal.upFor().compareTo(watch.hold()) >= 0,
                "F3: healthy before the hold is over on " + watch.node());
    }

    @Override
    public void refused(Commit commit, RuntimeException why) {
        violated("The tables refuse a commit: " + why + " " + why.getCause());
    }

    @Override
    public void tookIn(Commit.Report report) {
        world.time.tell(report.node() + " late: " + report.attempt() + " " + report.outcome());
        if (report.terminal()) {
            open.remove(report.node(), report.attempt());
        }
        if (report.failedRollback()) {
            gates.marked(report.node());
        }
        incidents.tookIn(report);
    }

    @Override
    public void cleared(NodeId node) {
        world.time.tell(node + " is cleared");
        world.tally.count("cleared");
        open.remove(node);
        gates.cleared(node);
        incidents.cleared(node);
    }

    @Override
    public void refused(GroupCommit commit, RuntimeException why) {
        violated("The tables refuse a step of a group: " + why + " " + why.getCause());
    }

    @Override
    public void committed(GroupCommit commit) {
        fenced(commit.epoch());
        components.steered(commit); // first: what it asks must be known when it is decided
        groups.committed(commit);
    }

    /** Whatever is written, is written by the latest leader (B1, B3). */
    private void fenced(long by) {
        require(by >= epoch, "B1: epoch " + by + " wrote after " + epoch);
        epoch = Math.max(epoch, by);
    }

    @Override
    public void committed(Commit commit) {
        fenced(commit.epoch());
        witness.committed(commit);
        commit.history().stream()
                .filter(row -> !MoveRules.isPhase(row))
                .forEach(row -> tell(commit, row));
        commit.reports().stream()
                .filter(Commit.Report::terminal)
                .forEach(report -> open.remove(report.node(), report.attempt()));
        commit.attempts().forEach(attempt -> allotted(commit, attempt));
        commit.after().nodes().values().forEach(node -> proven(commit, node));
        gates.committed(commit);
        requests.committed(commit);
        proofs.committed(commit);
        story.committed(commit);
        moves.committed(commit);
        sight.committed(commit);
        components.committed(commit);
        incidents.committed(commit);
        health.committed(commit);
        commit.attempts().forEach(attempt -> retirements.workFor(attempt.node()));
        commit.reports().stream()
                .filter(Commit.Report::failedRollback)
                .forEach(report -> gates.marked(report.node()));
    }

    private void tell(Commit commit, HistoryRow row) {
        RolloutSpec spec = commit.after().spec();
        String of = StateFacts.isInGroup(commit.after()) ? spec.binary() + ": " : "";
        String who = of + (row.node().isEmpty() ? row.subject() : row.node());
        world.time.tell(
                who
                        + " "
                        + row.from()
                        + " -> "
                        + row.to()
                        + " ("
                        + row.because().code()
                        + ", epoch "
                        + commit.epoch()
                        + ")");
    }

    private void allotted(Commit commit, Commit.NewAttempt attempt) {
        NodeId node = attempt.node();
        long before = allotted.getOrDefault(node, 0L);
        require(
                attempt.attempt() > before,
                "R1: node " + node + " is given " + attempt.attempt() + " after " + before);
        Long held = open.put(node, attempt.attempt());
        require(held == null, "A4: node " + node + " is given work while " + held + " is open");
        allotted.put(node, attempt.attempt());
        if (attempt.restoreOf() == 0) {
            dispatched(commit, node);
        }
    }

    /** Work towards the target is given out (A5, A8, A12). */
    private void dispatched(Commit commit, NodeId node) {
        Rollout before = commit.before();
        boolean runs =
                before.state() instanceof RolloutState.Running
                        || before.state() instanceof RolloutState.AwaitingApproval;
        require(runs, "A12: node " + node + " is dispatched while " + Words.of(before.state()));
        NodeUpgrade upgrade = commit.after().nodes().get(node);
        if (upgrade == null) {
            violated("A8: node " + node + " is no target");
            return;
        }
        boolean earlier =
                commit.after().nodes().values().stream()
                        .anyMatch(
                                other ->
                                        other.batch() < upgrade.batch()
                                                && (StateFacts.isInFlight(other)
                                                        || other.state()
                                                                instanceof NodeState.Pending));
        require(!earlier, "A5: node " + node + " is dispatched before its turn");
    }

    /** A node counts as upgraded only when it is (A11, F3). */
    private void proven(Commit commit, NodeUpgrade node) {
        NodeUpgrade was = commit.before().nodes().get(node.id());
        boolean fresh =
                node.state() instanceof NodeState.Succeeded
                        && !(was != null && was.state() instanceof NodeState.Succeeded);
        if (!fresh) {
            return;
        }
        int target = Product.number(commit.after().spec().targetVersion().value());
        require(
                world.installed(commit.after(), node.id()) == target,
                "A11: node " + node.id() + " counts as upgraded and is not");
        boolean unchecked = StateFacts.skipsValidation(commit.after().spec().strategy());
        require(
                unchecked || healthy.contains(node.id() + "/" + node.attempt()),
                "F3: node " + node.id() + " succeeded though nobody found it healthy");
    }
}
