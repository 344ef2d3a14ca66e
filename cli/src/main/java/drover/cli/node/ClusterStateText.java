package drover.cli.node;

import drover.agent.v1.ClusterReport;
import drover.agent.v1.ClusterRole;
import drover.agent.v1.ClusterState;
import drover.agent.v1.ReplicationLag;
import drover.node.v1.Node;
import drover.node.v1.ProgramCondition;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** State of the clusters of a node, one line for each program that is a member of one. */
final class ClusterStateText {
    private static final String ROLE_PREFIX = "CLUSTER_ROLE_";

    private ClusterStateText() {}

    static List<String> lines(Node node) {
        List<ProgramCondition> members =
                node.getConditionsList().stream().filter(ProgramCondition::hasCluster).toList();
        return members.stream()
                .map(
                        each ->
                                (members.size() > 1 ? each.getProgram() + ": " : "")
                                        + line(each.getCluster()))
                .toList();
    }

    private static String line(ClusterState state) {
        return state.hasReport()
                ? line(state.getReport()) + "  " + state.getAge().getSeconds() + " s old"
                : "no report: " + state.getProblem();
    }

    private static String line(ClusterReport report) {
        ReplicationLag lag = report.getLag();
        return Stream.of(
                        report.getCluster(),
                        "member " + report.getMember(),
                        roleText(report.getRole()),
                        "term " + report.getTerm(),
                        report.getHealthyVotersCount()
                                + " of "
                                + report.getVotersCount()
                                + " voters healthy",
                        "lag "
                                + lag.getValue()
                                + " "
                                + lag.getUnit()
                                + (lag.getOk() ? "" : " (too many)"))
                .collect(Collectors.joining("  "));
    }

    private static String roleText(ClusterRole role) {
        return role == ClusterRole.UNRECOGNIZED || role == ClusterRole.CLUSTER_ROLE_UNSPECIFIED
                ? "role not known"
                : role.name().substring(ROLE_PREFIX.length()).toLowerCase(Locale.ROOT);
    }
}
