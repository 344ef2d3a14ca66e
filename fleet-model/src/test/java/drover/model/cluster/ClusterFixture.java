package drover.model.cluster;

import drover.model.cluster.MemberObservation.Reported;
import drover.model.cluster.MemberObservation.Unreported;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/** Script of a cluster {@code m-1} to {@code m-N} of healthy voters in term 7, led by one. */
final class ClusterFixture {
    private final List<String> voters;
    private final String leader;
    private final Map<String, MemberObservation> observations = new LinkedHashMap<>();
    private final Set<String> down = new TreeSet<>();
    private final List<String> upgraded = new ArrayList<>();

    private ClusterFixture(int size, int leader) {
        this.voters = IntStream.rangeClosed(1, size).mapToObj(ClusterFixture::name).toList();
        this.leader = name(leader);
        voters.forEach(voter -> observe(report(voter)));
    }

    static ClusterFixture cluster(int size, int leader) {
        return new ClusterFixture(size, leader);
    }

    static String name(int number) {
        return "m-" + number;
    }

    private ClusterReport report(String member) {
        ClusterRole role =
                !member.equals(leader)
                        ? ClusterRole.FOLLOWER
                        : voters.size() == 1 ? ClusterRole.ALONE : ClusterRole.LEADER;
        return new ClusterReport(
                "c1",
                member,
                role,
                true,
                7,
                voters,
                healthy(),
                new ReplicationLag(0, "entries", true),
                "1.0",
                StopSafety.YES,
                "");
    }

    private List<String> healthy() {
        return voters.stream().filter(voter -> !down.contains(voter)).toList();
    }

    private void observe(ClusterReport report) {
        observations.put(report.member(), new Reported(report.member(), report, Duration.ZERO));
    }

    /** The member is stopped: no report, and no other member counts it as healthy. */
    ClusterFixture down(int number) {
        down.add(name(number));
        observations.replaceAll(
                (_, each) ->
                        each instanceof Reported(String node, ClusterReport report, Duration age)
                                ? new Reported(node, withHealthy(report, healthy()), age)
                                : each);
        return unreported(number);
    }

    /** The probe of the member fails; the others count it as healthy. */
    ClusterFixture unreported(int number) {
        observations.put(name(number), new Unreported(name(number), "The probe timed out."));
        return this;
    }

    /** The report of the member is this old. */
    ClusterFixture aged(int number, Duration age) {
        observations.computeIfPresent(
                name(number),
                (_, each) ->
                        each instanceof Reported reported
                                ? new Reported(reported.node(), reported.report(), age)
                                : each);
        return this;
    }

    /** Changes the report of a member. */
    ClusterFixture changed(int number, UnaryOperator<ClusterReport> change) {
        observations.computeIfPresent(
                name(number),
                (_, each) ->
                        each instanceof Reported reported
                                ? new Reported(
                                        reported.node(),
                                        change.apply(reported.report()),
                                        reported.age())
                                : each);
        return this;
    }

    /** Adds a member without a vote. */
    ClusterFixture learner(int number) {
        observe(asLearner(report(leader), name(number)));
        return this;
    }

    /** Adds a report of another node. */
    ClusterFixture also(String node, ClusterReport report) {
        observations.put(node, new Reported(node, report, Duration.ZERO));
        return this;
    }

    ClusterFixture upgraded(int... numbers) {
        IntStream.of(numbers).mapToObj(ClusterFixture::name).forEach(upgraded::add);
        return this;
    }

    ClusterReport reportOf(int number) {
        return report(name(number));
    }

    ClusterAssessment assess() {
        return ClusterAssessment.assess(List.copyOf(observations.values()), Set.copyOf(upgraded));
    }

    static ClusterReport withHealthy(ClusterReport report, List<String> healthy) {
        return new ClusterReport(
                report.cluster(),
                report.member(),
                report.role(),
                report.voter(),
                report.term(),
                report.voters(),
                healthy,
                report.lag(),
                report.clusterVersion(),
                report.safeToStop(),
                report.reason());
    }

    static ClusterReport withVoters(ClusterReport report, List<String> voters) {
        return new ClusterReport(
                report.cluster(),
                report.member(),
                report.role(),
                voters.contains(report.member()),
                report.term(),
                voters,
                voters,
                report.lag(),
                report.clusterVersion(),
                report.safeToStop(),
                report.reason());
    }

    static ClusterReport withRole(ClusterReport report, ClusterRole role, long term) {
        return new ClusterReport(
                report.cluster(),
                report.member(),
                role,
                report.voter(),
                term,
                report.voters(),
                report.healthyVoters(),
                report.lag(),
                report.clusterVersion(),
                role == ClusterRole.UNKNOWN ? StopSafety.UNKNOWN : report.safeToStop(),
                role == ClusterRole.UNKNOWN ? "There is no leader." : report.reason());
    }

    static ClusterReport withLag(ClusterReport report, ReplicationLag lag) {
        return new ClusterReport(
                report.cluster(),
                report.member(),
                report.role(),
                report.voter(),
                report.term(),
                report.voters(),
                report.healthyVoters(),
                lag,
                report.clusterVersion(),
                report.safeToStop(),
                report.reason());
    }

    static ClusterReport withSafety(ClusterReport report, StopSafety safety, String reason) {
        return new ClusterReport(
                report.cluster(),
                report.member(),
                report.role(),
                report.voter(),
                report.term(),
                report.voters(),
                report.healthyVoters(),
                report.lag(),
                report.clusterVersion(),
                safety,
                reason);
    }

    static ClusterReport ofCluster(ClusterReport report, String cluster, String member) {
        List<String> voters = List.of(member, "other-2", "other-3");
        return new ClusterReport(
                cluster,
                member,
                ClusterRole.FOLLOWER,
                true,
                report.term(),
                voters,
                voters,
                report.lag(),
                report.clusterVersion(),
                report.safeToStop(),
                report.reason());
    }

    private static ClusterReport asLearner(ClusterReport report, String member) {
        return new ClusterReport(
                report.cluster(),
                member,
                ClusterRole.LEARNER,
                false,
                report.term(),
                report.voters(),
                report.healthyVoters(),
                report.lag(),
                report.clusterVersion(),
                StopSafety.YES,
                "");
    }
}
