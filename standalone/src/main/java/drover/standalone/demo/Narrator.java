package drover.standalone.demo;

import drover.rollout.v1.Batch;
import drover.rollout.v1.Rollout;
import drover.rollout.v1.RolloutNode;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Tells the demo's story: headings, sentences, and a progress bar that is redrawn on terminals. */
final class Narrator {
    private static final int WIDTH = 30;

    private final PrintWriter out;
    private final boolean terminal;
    private String last = "";

    Narrator(PrintWriter out, boolean terminal) {
        this.out = out;
        this.terminal = terminal;
    }

    void heading(String text) {
        endLine();
        out.println();
        out.println("== " + text);
        out.flush();
    }

    void say(String sentence) {
        endLine();
        out.println("   " + sentence);
        out.flush();
    }

    /** Draws where a rollout is; nothing when nothing changed. */
    void progress(Rollout rollout, List<RolloutNode> nodes) {
        String line = line(rollout, nodes);
        if (line.equals(last)) {
            return;
        }
        if (terminal) {
            out.print("\r\u001b[2K   " + line);
        } else {
            out.println("   " + line);
        }
        out.flush();
        last = line;
    }

    private void endLine() {
        if (terminal && !last.isEmpty()) {
            out.println();
        }
        last = "";
    }

    /** One line: bar, counters, status, and what the nodes in flight are doing. */
    static String line(Rollout rollout, List<RolloutNode> nodes) {
        int total = Math.max(1, rollout.getTotalNodes());
        boolean back = rollout.getRolledBackNodes() > 0;
        int done = back ? rollout.getRolledBackNodes() : rollout.getSucceededNodes();
        int filled = WIDTH * done / total;
        String bar = "#".repeat(filled) + ".".repeat(WIDTH - filled);
        return String.format(
                Locale.ROOT,
                "[%s] %d/%d %s%s%s",
                bar,
                done,
                rollout.getTotalNodes(),
                word(rollout.getStatus().name(), "ROLLOUT_STATUS_"),
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
                + word(batch.getPhase().name(), "BATCH_PHASE_");
    }

    private static String inFlight(List<RolloutNode> nodes) {
        String moving =
                nodes.stream()
                        .filter(Narrator::isMoving)
                        .limit(4) // what fits on a line
                        .map(node -> node.getNodeId() + " " + doing(node))
                        .collect(Collectors.joining(", "));
        return moving.isEmpty() ? "" : ": " + moving;
    }

    private static boolean isMoving(RolloutNode node) {
        return switch (node.getStatus()) {
            case NODE_UPGRADE_STATUS_ASSIGNED,
                    NODE_UPGRADE_STATUS_UPGRADING,
                    NODE_UPGRADE_STATUS_SETTLING,
                    NODE_UPGRADE_STATUS_RESTORING ->
                    true;
            default -> false; // generated: unknown values of a newer server do not move
        };
    }

    private static String doing(RolloutNode node) {
        return node.getAction().isEmpty()
                ? word(node.getStatus().name(), "NODE_UPGRADE_STATUS_")
                : node.getAction();
    }

    static String word(String constant, String prefix) {
        return constant.replace(prefix, "").toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
