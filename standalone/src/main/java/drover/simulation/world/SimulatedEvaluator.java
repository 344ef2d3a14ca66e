package drover.simulation.world;

import drover.coordinator.peers.HealthEvaluatorLink;
import drover.coordinator.plan.observed.Cause;
import drover.coordinator.plan.observed.HealthVerdict;
import drover.evaluator.assess.HealthThresholds;
import drover.evaluator.assess.ProgramWatchSpec;
import drover.evaluator.assess.Verdict;
import drover.evaluator.assess.VerdictReport;
import drover.evaluator.engine.WatchSession;
import drover.kit.grpc.Address;
import drover.model.NodeId;
import drover.model.program.BinaryName;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The health-evaluator: the real room of watches, over simulated streams. */
public final class SimulatedEvaluator {
    public static final String NAME = "evaluator";

    private final SimulatedWorld world;
    private final List<LeaderConnection> lines = new ArrayList<>();
    private boolean up = true;

    SimulatedEvaluator(SimulatedWorld world) {
        this.world = world;
        scheduleTick();
    }

    private void scheduleTick() {
        world.time.scheduleAfter(
                Duration.ofSeconds(5),
                () -> {
                    lines.forEach(line -> line.session.tick());
                    sendVerdicts();
                    scheduleTick();
                });
    }

    /** Tells what is new. */
    void sendVerdicts() {
        List.copyOf(lines).forEach(LeaderConnection::sendVerdicts);
    }

    public void crash() {
        world.time.log("the evaluator is killed");
        up = false;
        List.copyOf(lines).forEach(LeaderConnection::breakConnection);
    }

    public void restart() {
        up = true;
    }

    HealthEvaluatorLink open(SimulatedCoordinator from, HealthEvaluatorLink.Listener events) {
        LeaderConnection line = new LeaderConnection(from, events);
        if (up && world.network.isConnected(from.id, NAME)) {
            lines.add(line);
            line.sendToLeader(events::onOpened);
        } else {
            world.time.scheduleAfter(Duration.ofSeconds(1), line::notifyLeaderClosed);
        }
        return line;
    }

    /** One leader's stream. */
    private final class LeaderConnection implements HealthEvaluatorLink {
        private final SimulatedCoordinator leader;
        private final Listener events;
        private final String name;
        private final WatchSession session;
        private boolean open = true;

        LeaderConnection(SimulatedCoordinator leader, Listener events) {
            this.leader = leader;
            this.events = events;
            this.name = leader.id + "/" + NAME + "/" + world.nextStream();
            this.session =
                    new WatchSession(
                            (address, listener) ->
                                    new SimulatedHeartbeatSubscription(
                                            world.gateway(address), listener, world),
                            judgements -> true,
                            world.time::nanos);
        }

        void sendToLeader(Runnable what) {
            world.network.sendInOrder(
                    name + "<",
                    () ->
                            leader.run(
                                    () -> {
                                        if (open) {
                                            what.run();
                                        }
                                    }));
        }

        void sendVerdicts() {
            if (!open || !world.network.isConnected(leader.id, NAME)) {
                breakConnection();
                return;
            }
            List<VerdictReport> news = session.takeNextChanges();
            if (!news.isEmpty()) {
                Map<NodeId, HealthVerdict> verdicts = new TreeMap<>();
                news.forEach(
                        judgement -> {
                            verdicts.put(judgement.watch().node(), toHealthVerdict(judgement));
                            world.observer().verdictReported(judgement);
                        });
                sendToLeader(() -> events.onVerdicts(verdicts));
            }
        }

        void breakConnection() {
            lines.remove(this);
            session.close();
            world.time.scheduleAfter(Duration.ofSeconds(2), this::notifyLeaderClosed);
        }

        private void notifyLeaderClosed() {
            leader.run(
                    () -> {
                        if (open) {
                            open = false;
                            events.onClosed();
                        }
                    });
        }

        private void sendToEvaluator(Runnable what) {
            world.network.sendInOrder(
                    name + ">",
                    () -> {
                        if (lines.contains(this)) {
                            what.run();
                            sendVerdicts();
                        }
                    });
        }

        @Override
        public void setGateways(List<String> addresses) {
            sendToEvaluator(
                    () -> session.setGateways(addresses.stream().map(Address::parse).toList()));
        }

        @Override
        public void watch(Collection<HealthEvaluatorLink.Watch> watches) {
            List<drover.evaluator.assess.ProgramWatchSpec> requested =
                    watches.stream()
                            .sorted(Comparator.comparing(HealthEvaluatorLink.Watch::node))
                            .map(SimulatedEvaluator::toProgramWatch)
                            .toList();
            sendToEvaluator(() -> session.watch(requested));
        }

        @Override
        public void watchAllPrograms(Collection<HealthEvaluatorLink.AllProgramsWatch> nodes) {
            List<drover.evaluator.assess.AllProgramsWatchSpec> requested =
                    nodes.stream()
                            .sorted(
                                    Comparator.comparing(
                                            HealthEvaluatorLink.AllProgramsWatch::node))
                            .map(SimulatedEvaluator::toNodeWatch)
                            .toList();
            sendToEvaluator(() -> session.watch(requested));
        }

        @Override
        public void unwatch(Collection<NodeId> nodes) {
            List<NodeId> over = nodes.stream().sorted().toList();
            sendToEvaluator(() -> session.unwatch(over));
        }

        @Override
        public void close() {
            open = false;
            world.network.sendInOrder(
                    name + ">",
                    () -> {
                        if (lines.remove(this)) {
                            session.close();
                        }
                    });
        }
    }

    private static ProgramWatchSpec toProgramWatch(HealthEvaluatorLink.Watch watch) {
        return new ProgramWatchSpec(
                watch.node(),
                watch.attempt(),
                new BinaryName(watch.program()),
                watch.runId(),
                watch.digest(),
                Optional.of(watch.config()),
                watch.hold(),
                new HealthThresholds(
                        watch.crashLoopRestarts(), HealthThresholds.DEFAULT.heartbeatTimeout()));
    }

    private static drover.evaluator.assess.AllProgramsWatchSpec toNodeWatch(
            HealthEvaluatorLink.AllProgramsWatch node) {
        return new drover.evaluator.assess.AllProgramsWatchSpec(
                node.node(),
                node.hold(),
                new HealthThresholds(
                        node.crashLoopRestarts(), HealthThresholds.DEFAULT.heartbeatTimeout()));
    }

    private static HealthVerdict toHealthVerdict(VerdictReport judgement) {
        long attempt = judgement.watch().attempt();
        List<Cause> causes =
                judgement.verdict().reasons().stream()
                        .map(finding -> new Cause(finding.code().name(), finding.sentence()))
                        .toList();
        String first = causes.isEmpty() ? "" : causes.getFirst().sentence();
        return switch (judgement.verdict()) {
            case Verdict.Healthy() -> new HealthVerdict.Healthy(attempt);
            case Verdict.Settling settling -> new HealthVerdict.Settling(attempt, first);
            case Verdict.Unhealthy unhealthy -> new HealthVerdict.Unhealthy(attempt, causes);
            case Verdict.NoData none -> new HealthVerdict.NoData(attempt, first);
        };
    }
}
