package drover.standalone.cluster;

import drover.cli.terminal.ConsoleTable;
import drover.cli.terminal.OutputTraits;
import drover.cli.terminal.Style;
import drover.model.cluster.ClusterReport;
import drover.model.cluster.MemberObservation;
import drover.model.cluster.MemberObservation.Reported;
import drover.model.cluster.MemberObservation.Unreported;
import drover.model.cluster.StopDecision;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Result of a cluster check as text. */
public final class ClusterCheckText {
    private ClusterCheckText() {}

    /** Lines for a terminal or a file. */
    public static List<String> lines(ClusterCheck check, OutputTraits traits) {
        List<String> lines = new ArrayList<>();
        lines.add(
                Style.sanitize(
                        ClusterWords.of(check.assessment().verdict()).replace('_', ' ')
                                + ": "
                                + check.assessment().verdict().sentence()));
        ConsoleTable table = tableOf(check);
        if (!table.isEmpty()) {
            lines.addAll(table.lines(new Style(traits.color()), traits.width()));
        }
        if (!check.assessment().upgradeOrder().isEmpty()) {
            lines.add("Upgrade order: " + String.join(", ", check.assessment().upgradeOrder()));
        }
        for (MemberObservation each : check.observations()) {
            if (each instanceof Unreported(String node, String reason)) {
                lines.add(Style.sanitize("No report from " + node + ": " + reason));
            }
        }
        return lines;
    }

    private static ConsoleTable tableOf(ClusterCheck check) {
        Map<String, ClusterReport> reports = reportsByMember(check);
        ConsoleTable table =
                new ConsoleTable(
                        "MEMBER",
                        "ROLE",
                        "TERM",
                        "HEALTHY",
                        "LAG",
                        "CLUSTER VERSION",
                        "STOP NOW",
                        "REASON");
        check.assessment()
                .stops()
                .forEach((member, stop) -> addRow(table, member, stop, reports.get(member)));
        return table;
    }

    private static Map<String, ClusterReport> reportsByMember(ClusterCheck check) {
        Map<String, ClusterReport> reports = new TreeMap<>();
        for (MemberObservation each : check.observations()) {
            if (each instanceof Reported reported) {
                reports.put(reported.report().member(), reported.report());
            }
        }
        return reports;
    }

    private static void addRow(
            ConsoleTable table, String member, StopDecision stop, @Nullable ClusterReport report) {
        String word = ClusterWords.of(stop).replace('_', ' ');
        if (report == null) {
            table.addRow(member, "no report", "", "", "", "", word, stop.sentence());
            return;
        }
        table.addRow(
                member,
                report.role().name().toLowerCase(Locale.ROOT),
                report.term(),
                report.healthyVoters().size() + " of " + report.voters().size(),
                report.lag() + (report.lag().ok() ? "" : " (too many)"),
                report.clusterVersion(),
                word,
                stop.sentence());
    }
}
