package drover.cli.rollout;

import drover.cli.terminal.ConsoleTable;
import drover.cli.terminal.EnumNames;
import drover.cli.terminal.OutputTraits;
import drover.cli.terminal.Style;
import drover.rollout.v1.Rollout;
import drover.rollout.v1.RolloutNode;
import java.util.ArrayList;
import java.util.List;

/**
 * A rollout as a few lines to look at while it moves: where it stands, how far it is, and every
 * node at work or failed. Pure: the same rollout, the same lines.
 *
 * @param mostNodes nodes shown at once; the rest is counted
 */
public record RolloutProgressRenderer(Style style, int width, int mostNodes) {
    private static final String INDENT = "  ";
    private static final int BAR_LENGTH = 24;
    private static final int SMALL_BAR = 10;

    /** A view for a terminal, with as many nodes as usually fit. */
    public static RolloutProgressRenderer forTerminal(OutputTraits terminal) {
        return new RolloutProgressRenderer(new Style(terminal.color()), terminal.width(), 15);
    }

    /** The lines, none longer than the width. */
    public List<String> lines(Rollout rollout, List<RolloutNode> nodes) {
        List<String> lines = new ArrayList<>();
        lines.add(title(rollout));
        lines.add(progressLine(rollout));
        lines.add(countersLine(rollout));
        if (!rollout.getExplanation().isEmpty()) {
            lines.add("  " + Style.sanitize(rollout.getExplanation()));
        }
        if (rollout.hasEvidence()) {
            lines.add("  evidence " + rollout.getEvidence().getDigest());
        }
        List<String> fitting = new ArrayList<>();
        lines.forEach(line -> fitting.add(Style.truncate(line, width)));
        fitting.addAll(nodeLines(nodes));
        return fitting;
    }

    private String title(Rollout rollout) {
        return style.bold("Rollout " + rollout.getId())
                + "  "
                + RolloutPrinter.programAndVersions(rollout)
                + style.dim(
                        "  chain "
                                + Style.sanitize(rollout.getChainProfileId())
                                + ", "
                                + EnumNames.of(rollout.getStrategy()));
    }

    private String progressLine(Rollout rollout) {
        int done = RolloutPrinter.decidedNodes(rollout);
        return "%s  batch %d of %d  %s %d/%d"
                .formatted(
                        style.colorizeByWord(
                                EnumNames.of(rollout.getStatus()),
                                RolloutStatusRules.statusText(rollout)),
                        Math.min(rollout.getCurrentBatch() + 1, rollout.getBatchesCount()),
                        rollout.getBatchesCount(),
                        progressBar(done, rollout.getTotalNodes(), BAR_LENGTH),
                        done,
                        rollout.getTotalNodes());
    }

    private static String countersLine(Rollout rollout) {
        String left = RolloutPrinter.timeLeft(rollout);
        return "  %d succeeded, %d failed, %d pending, %d skipped, %d rolled back%s"
                        .formatted(
                                rollout.getSucceededNodes(),
                                rollout.getFailedNodes(),
                                rollout.getPendingNodes(),
                                rollout.getSkippedNodes(),
                                rollout.getRolledBackNodes(),
                                left.isEmpty() ? "" : "; " + left)
                + (rollout.hasFinishBy()
                        ? "; finish_by: "
                                + EnumNames.of(rollout.getScheduleStatus()).replace('_', ' ')
                        : "");
    }

    private List<String> nodeLines(List<RolloutNode> nodes) {
        List<RolloutNode> shown =
                nodes.stream()
                        .filter(
                                node ->
                                        RolloutStatusRules.isInProgress(node)
                                                || RolloutStatusRules.countsAsFailed(node))
                        .toList();
        if (shown.isEmpty()) {
            return List.of();
        }
        ConsoleTable table = new ConsoleTable("NODE", "STATUS", "PHASE", "ACTION", "DONE", "NOTE");
        shown.stream().limit(mostNodes).forEach(node -> addRow(table, node));
        List<String> lines = new ArrayList<>();
        table.lines(style, width - INDENT.length()).forEach(line -> lines.add(INDENT + line));
        if (shown.size() > mostNodes) {
            lines.add(style.dim("  … and " + (shown.size() - mostNodes) + " more"));
        }
        return lines;
    }

    private static void addRow(ConsoleTable table, RolloutNode node) {
        boolean upgrading = EnumNames.of(node.getStatus()).matches("upgrading|restoring");
        table.addRow(
                node.getNodeId(),
                EnumNames.of(node.getStatus()),
                EnumNames.of(node.getUpgradePhase()),
                node.getAction(),
                upgrading
                        ? progressBar(node.getProgressPercent(), 100, SMALL_BAR)
                                + " "
                                + node.getProgressPercent()
                                + " %"
                        : "",
                RolloutPrinter.nodeNote(node));
    }

    private static String progressBar(int done, int of, int length) {
        int filled = of <= 0 ? 0 : (int) ((long) length * Math.clamp(done, 0, of) / of);
        return "[" + "#".repeat(filled) + ".".repeat(length - filled) + "]";
    }
}
