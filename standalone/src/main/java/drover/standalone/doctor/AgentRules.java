package drover.standalone.doctor;

import drover.node.v1.Node;
import drover.node.v1.NodeHealth;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Decides whether nodes and their agents are as they should be. Pure: what was said comes in. */
final class AgentRules {
    /** Messages take well below a second; beyond this, times of a node mislead who reads them. */
    private static final Duration CLOCKS_APART = Duration.ofSeconds(5);

    private static final int MOST = 20; // lines of one kind: a screen

    private AgentRules() {}

    /**
     * Everything that is to be said of these nodes.
     *
     * @param now by the server's clock
     * @param version of this Drover, which its agents should have
     */
    static List<DoctorFinding> check(List<Node> nodes, Instant now, String version) {
        if (nodes.isEmpty()) {
            return List.of(DoctorFinding.ok("nodes", "No node is registered yet."));
        }
        List<DoctorFinding> findings = new ArrayList<>();
        findings.addAll(toWarnings("agents", nodes, node -> offlineFinding(node, now)));
        findings.addAll(toWarnings("agents", nodes, node -> versionFinding(node, version)));
        if (findings.isEmpty()) {
            findings.add(
                    DoctorFinding.ok(
                            "agents",
                            "The agents of all %d nodes are connected, of version %s."
                                    .formatted(nodes.size(), version)));
        }
        findings.addAll(
                orElse(
                        toWarnings("nodes", nodes, AgentRules::unhealthyFinding),
                        healthyFindings(nodes)));
        findings.addAll(
                orElse(
                        toWarnings("clock", nodes, AgentRules::clockFinding),
                        clockOkFindings(nodes)));
        return List.copyOf(findings);
    }

    private static List<DoctorFinding> toWarnings(
            String check, List<Node> nodes, Function<Node, Optional<String>> rule) {
        List<String> wrong = nodes.stream().flatMap(node -> rule.apply(node).stream()).toList();
        List<DoctorFinding> findings = new ArrayList<>();
        wrong.stream().limit(MOST).forEach(line -> findings.add(DoctorFinding.warn(check, line)));
        if (wrong.size() > MOST) {
            findings.add(
                    DoctorFinding.warn(
                            check,
                            "And %d more like these: see 'drover node list'."
                                    .formatted(wrong.size() - MOST)));
        }
        return findings;
    }

    private static List<DoctorFinding> orElse(
            List<DoctorFinding> wrong, List<DoctorFinding> healthy) {
        return wrong.isEmpty() ? healthy : wrong;
    }

    private static Optional<String> offlineFinding(Node node, Instant now) {
        String id = node.getId();
        if (node.getOnline()) {
            return Optional.empty();
        }
        if (!node.hasLastSeenAt()) {
            return Optional.of(
                    ("The agent of node %s never connected: start it, and read its log for the reason;"
                                    + " if the node will not come, 'drover node retire %s --reason WHY'.")
                            .formatted(id, id));
        }
        Instant seen = Instant.ofEpochSecond(node.getLastSeenAt().getSeconds());
        return Optional.of(
                ("The agent of node %s is away since %s (%s): see that its machine runs, and start it;"
                                + " if the node is gone for good, 'drover node retire %s --reason WHY'.")
                        .formatted(
                                id,
                                seen.truncatedTo(ChronoUnit.SECONDS),
                                formatDuration(Duration.between(seen, now)),
                                id));
    }

    private static String formatDuration(Duration offlineFor) {
        if (offlineFor.toHours() > 0) {
            return offlineFor.toHours() + " h";
        }
        return offlineFor.toMinutes() > 0
                ? offlineFor.toMinutes() + " min"
                : Math.max(0, offlineFor.toSeconds()) + " s";
    }

    private static Optional<String> versionFinding(Node node, String version) {
        return node.getOnline() && !node.getAgentVersion().equals(version)
                ? Optional.of(
                        "The agent of node %s has version %s, this Drover %s: start the agent that came with it."
                                .formatted(node.getId(), node.getAgentVersion(), version))
                : Optional.empty();
    }

    private static Optional<String> unhealthyFinding(Node node) {
        if (!node.getOnline() || node.getHealth() == NodeHealth.NODE_HEALTH_OK) {
            return Optional.empty(); // that an agent is away was said
        }
        return Optional.of(
                "Node %s: %s See 'drover node why %s'."
                        .formatted(node.getId(), detail(node), node.getId()));
    }

    private static String detail(Node node) {
        return node.getHealthDetail().isEmpty()
                ? "Its gateway does not say how it is."
                : node.getHealthDetail();
    }

    private static List<DoctorFinding> healthyFindings(List<Node> nodes) {
        long online = nodes.stream().filter(Node::getOnline).count();
        return online == 0
                ? List.of()
                : List.of(
                        DoctorFinding.ok(
                                "nodes",
                                "The programs of all %d connected nodes are well."
                                        .formatted(online)));
    }

    private static Optional<String> clockFinding(Node node) {
        if (!node.hasClockOffset() || clockOffset(node).abs().compareTo(CLOCKS_APART) <= 0) {
            return Optional.empty();
        }
        return Optional.of(
                ("The clock of node %s is %.1f s %s the server's: let NTP keep both. Upgrades do not"
                                + " depend on it, times in its log and traces do.")
                        .formatted(
                                node.getId(),
                                clockOffset(node).abs().toMillis() / 1000.0,
                                clockOffset(node).isNegative() ? "behind" : "ahead of"));
    }

    private static Duration clockOffset(Node node) {
        return Duration.ofSeconds(
                node.getClockOffset().getSeconds(), node.getClockOffset().getNanos());
    }

    private static List<DoctorFinding> clockOkFindings(List<Node> nodes) {
        long compared = nodes.stream().filter(Node::hasClockOffset).count();
        return compared == 0
                ? List.of()
                : List.of(
                        DoctorFinding.ok(
                                "clock",
                                "The clocks of %d connected nodes agree with the server's."
                                        .formatted(compared)));
    }
}
