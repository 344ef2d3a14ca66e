package drover.standalone.demo;

import drover.cli.rollout.RolloutProgressRenderer;
import drover.cli.terminal.OutputTraits;
import drover.rollout.v1.Batch;
import drover.rollout.v1.Rollout;
import drover.rollout.v1.RolloutNode;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Tells the demo's story: headings, sentences, and the progress that {@code rollout watch} shows.
 */
final class DemoOutput {
    private static final int WIDTH = 30;
    private static final String NODE_STATUS = "NODE_UPGRADE_STATUS_";

    private final PrintWriter out;
    private final OutputTraits terminal;
    private final RolloutProgressRenderer view;
    private String last = "";
    private int drawn;

    DemoOutput(PrintWriter out, OutputTraits terminal) {
        this.out = out;
        this.terminal = terminal;
        this.view = RolloutProgressRenderer.forTerminal(terminal);
    }

    void printHeading(String text) {
        resetProgress();
        out.println();
        out.println("== " + text);
        out.flush();
    }

    void print(String sentence) {
        resetProgress();
        out.println("   " + sentence);
        out.flush();
    }

    /** Shows where a rollout is: drawn in place on terminals, else a line for each change. */
    void printProgress(Rollout rollout, List<RolloutNode> nodes) {
        if (terminal.interactive()) {
            redraw(view.lines(rollout, nodes));
            return;
        }
        String line = line(rollout, nodes);
        if (!line.equals(last)) {
            out.println("   " + line);
            out.flush();
            last = line;
        }
    }

    private void redraw(List<String> lines) {
        StringBuilder frame = new StringBuilder();
        if (drawn > 0) {
            frame.append("\u001b[").append(drawn).append('A'); // up to the first line
        }
        lines.forEach(line -> frame.append("\u001b[2K").append(line).append('\n'));
        frame.append("\u001b[J"); // clears what a longer frame left below
        out.print(frame);
        out.flush();
        drawn = lines.size();
    }

    private void resetProgress() {
        last = "";
        drawn = 0; // what comes next is written below
    }

    /** One line: bar, counters, status, and what the nodes in flight are doing. */
    static String line(Rollout rollout, List<RolloutNode> nodes) {
        int total = Math.max(1, rollout.getTotalNodes());
        boolean back = rollout.getRolledBackNodes() > 0;
        int done = back ? rollout.getRolledBackNodes() : rollout.getSucceededNodes();
        int filled = WIDTH * done / total;
        String progressBar = "#".repeat(filled) + ".".repeat(WIDTH - filled);
        return String.format(
                Locale.ROOT,
                "[%s] %d/%d %s%s%s",
                progressBar,
                done,
                rollout.getTotalNodes(),
                label(rollout.getStatus().name(), "ROLLOUT_STATUS_"),
                batch(rollout),
                inFlight(nodes));
    }

    private static String batch(Rollout rollout) {
        if (rollout.getBatchesCount() == 0) {
            return "";
        }
        int index = Math.min(rollout.getCurrentBatch(), rollout.getBatchesCount() - 1);
        Batch batch = rollout.getBatches(index);
        return ", batch "
                + (index + 1)
                + " of "
                + rollout.getBatchesCount()
                + (batch.getCanary() ? " (canary)" : "")
                + " "
                + label(batch.getPhase().name(), "BATCH_PHASE_");
    }

    private static String inFlight(List<RolloutNode> nodes) {
        String moving =
                nodes.stream()
                        .filter(DemoOutput::isInFlight)
                        .limit(4) // what fits on a line
                        .map(node -> node.getNodeId() + " " + actionOrStatus(node))
                        .collect(Collectors.joining(", "));
        return moving.isEmpty() ? "" : ": " + moving;
    }

    private static boolean isInFlight(RolloutNode node) {
        return switch (node.getStatus()) {
            case NODE_UPGRADE_STATUS_ASSIGNED,
                    NODE_UPGRADE_STATUS_UPGRADING,
                    NODE_UPGRADE_STATUS_SETTLING,
                    NODE_UPGRADE_STATUS_RESTORING ->
                    true;
            default -> false; // generated: unknown values of a newer server do not move
        };
    }

    private static String actionOrStatus(RolloutNode node) {
        return node.getAction().isEmpty()
                ? label(node.getStatus().name(), NODE_STATUS)
                : node.getAction();
    }

    /** Where a node of an ended rollout stands; its turn will not come any more. */
    static String status(RolloutNode node) {
        return isNeverAttempted(node) ? "untouched" : label(node.getStatus().name(), NODE_STATUS);
    }

    /** The code of a failure or skip; empty where it says what {@link #status} says. */
    static String reason(RolloutNode node) {
        boolean repeats = node.getStatus().name().equals(NODE_STATUS + node.getReason());
        return repeats || isNeverAttempted(node) ? "" : node.getReason();
    }

    private static boolean isNeverAttempted(RolloutNode node) {
        return switch (node.getStatus()) {
            case NODE_UPGRADE_STATUS_UNSPECIFIED, NODE_UPGRADE_STATUS_PENDING ->
                    node.getAttemptCount() == 0;
            default -> false; // generated: any other status is worth its own word
        };
    }

    static String label(String constant, String prefix) {
        return constant.replace(prefix, "").toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
