package drover.system.failover;

import static org.assertj.core.api.Assertions.assertThat;

import drover.bench.fleet.AcknowledgedStatusLog;
import drover.bench.fleet.BenchNode;
import drover.bench.fleet.BenchNode.BenchRelease;
import drover.bench.fleet.StartedProgramLog;
import drover.coordinator.engine.export.AllHistoriesVerifier;
import drover.coordinator.plan.model.PauseReason;
import drover.coordinator.store.audit.PostgresHistoryChecker;
import drover.coordinator.store.check.HistoryInvariants;
import drover.coordinator.store.check.ObservationChecker;
import drover.coordinator.store.check.ObservationChecker.AttemptStatusRecord;
import drover.coordinator.store.check.ObservationChecker.ClientResponse;
import drover.coordinator.store.check.ObservationChecker.NodeAndInstalledDigest;
import drover.coordinator.store.rollout.HistoryEntry;
import drover.coordinator.store.sql.Database;
import drover.kit.database.ConnectionPool;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Goes over all that there is of one run: what PostgreSQL holds, what clients were answered, and
 * what truly was started on the nodes.
 */
public final class ConsistencyCheck {
    /** Of a node, whatever came of it: here all nodes are well, and none is ever kept away. */
    private static final Set<String> HARMED =
            Set.of(
                    "failed",
                    "failed_rollback",
                    "unreachable",
                    "restoring",
                    "rolled_back",
                    "skipped");

    private final Observed deployment;
    private final Answered client;
    private final int nodes;
    private final Set<String> shutOut;

    public ConsistencyCheck(Observed deployment, Answered client, int nodes) {
        this(deployment, client, nodes, Set.of());
    }

    /**
     * The same.
     *
     * @param shutOut nodes for which an operator let nobody speak any more: to skip them is no harm
     */
    ConsistencyCheck(Observed deployment, Answered client, int nodes, Set<String> shutOut) {
        this.deployment = deployment;
        this.client = client;
        this.nodes = nodes;
        this.shutOut = Set.copyOf(shutOut);
    }

    /** What whoever asked was told. */
    public interface Answered {
        /** The ids of the rollouts that it was told were created. */
        List<String> created();

        /** What it was told in the end of each request for a rollout. */
        List<ClientResponse> answers(String rollout);
    }

    /** A mesh that can be looked at past its services. */
    public interface Observed {
        /** What its database says. */
        DatabaseReader record();

        /** What truly was started on its nodes. */
        Path effects();

        /** Which acknowledgements its nodes were given. */
        Path acknowledged();

        /** A way to its database. */
        ConnectionPool pool();
    }

    /** No node was failed for whatever was done (A7), and nothing paused that nobody had asked. */
    void assertConsistent() {
        assertThat(harmed()).as("A7").isEmpty();
        assertThat(unasked()).as("pauses that nobody asked for").isEmpty();
    }

    /**
     * The same, and what is written, what was told and what truly was started on the nodes agree,
     * once every rollout is over.
     *
     * @param targets the release of each rollout
     */
    public void assertSound(Map<String, BenchRelease> targets) throws IOException {
        assertConsistent();
        assertThat(broken(targets)).isEmpty();
    }

    /** Rows that tell of a node that was failed, skipped or changed back (A7). */
    List<HistoryEntry> harmed() {
        return deployment.record().rollouts().stream()
                .flatMap(rollout -> deployment.record().history(rollout).stream())
                .filter(row -> HARMED.contains(row.to()))
                .filter(row -> !row.to().equals("skipped") || !shutOut.contains(row.node()))
                .toList();
    }

    /** Pauses that no client had asked for, whatever they were for. */
    List<HistoryEntry> unasked() {
        return deployment.record().rollouts().stream()
                .flatMap(rollout -> unasked(deployment.record().history(rollout)))
                .toList();
    }

    static Stream<HistoryEntry> unasked(List<HistoryEntry> history) {
        return history.stream()
                .filter(row -> row.subject().equals("rollout") && row.to().equals("paused"))
                .filter(row -> !row.because().code().equals(PauseReason.OPERATOR.name()));
    }

    /**
     * A sentence for each thing that is wrong, once every rollout is over.
     *
     * @param targets the release of each rollout
     */
    List<String> broken(Map<String, BenchRelease> targets) throws IOException {
        List<String> rollouts = deployment.record().rollouts();
        List<String> broken = new ArrayList<>();
        if (!rollouts.equals(client.created())) {
            broken.add("B8: there are %s, told were %s".formatted(rollouts, client.created()));
        }
        List<NodeAndInstalledDigest> received = new ArrayList<>(laidOut());
        for (String rollout : rollouts) {
            List<HistoryEntry> rows = deployment.record().history(rollout);
            broken.addAll(HistoryInvariants.violations(rows));
            broken.addAll(ObservationChecker.requestViolations(rows, client.answers(rollout)));
            rows.stream()
                    .filter(row -> row.to().equals("succeeded") && !row.from().equals("unhealthy"))
                    .map(
                            row ->
                                    new NodeAndInstalledDigest(
                                            row.node(), digest(targets.get(rollout))))
                    .forEach(received::add);
        }
        broken.addAll(ObservationChecker.startViolations(received, started()));
        deployment.record().blocked().stream()
                .filter(node -> !shutOut.contains(node))
                .map(node -> "SECURITY 4: nobody may speak for %s any more".formatted(node))
                .forEach(broken::add);
        broken.addAll(lost());
        broken.addAll(chains());
        return broken;
    }

    private List<AttemptStatusRecord> acknowledged() throws IOException {
        return AcknowledgedStatusLog.read(deployment.acknowledged()).stream()
                .map(
                        each ->
                                new AttemptStatusRecord(
                                        each.node().value(),
                                        each.attempt(),
                                        each.sequence(),
                                        each.outcome().name(),
                                        !each.outcome().isTerminal()))
                .toList();
    }

    /** A sentence for each status that was acknowledged to a node and is not written down (C10). */
    List<String> lost() throws IOException {
        List<AttemptStatusRecord> acknowledged =
                acknowledged(); // first: later ones may not be written yet
        List<HistoryEntry> histories =
                deployment.record().rollouts().stream()
                        .flatMap(rollout -> deployment.record().history(rollout).stream())
                        .toList();
        return ObservationChecker.lostStatusViolations(
                acknowledged, deployment.record().reported(), histories);
    }

    /** What each node was started with, before any rollout. */
    private List<NodeAndInstalledDigest> laidOut() {
        return IntStream.range(0, nodes)
                .mapToObj(BenchNode::new)
                .map(node -> new NodeAndInstalledDigest(node.id().value(), digest(BenchRelease.V1)))
                .toList();
    }

    private static String digest(@org.jspecify.annotations.Nullable BenchRelease target) {
        return target == null ? "nobody knows what" : target.digest().value();
    }

    private List<NodeAndInstalledDigest> started() throws IOException {
        return StartedProgramLog.read(deployment.effects()).stream()
                .map(
                        effect ->
                                new NodeAndInstalledDigest(
                                        effect.node().value(), effect.program().value()))
                .toList();
    }

    private List<String> chains() {
        return new AllHistoriesVerifier(
                        new PostgresHistoryChecker(Database.migrateAndOpen(deployment.pool())),
                        System::nanoTime)
                .verifyFrom("").checked().stream()
                        .filter(chain -> !chain.breaks().isEmpty())
                        .map(chain -> "G2: a chain of hashes is broken: " + chain)
                        .toList();
    }
}
