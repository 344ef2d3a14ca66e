package drover.cli.rollout;

import drover.cli.terminal.EnumNames;
import drover.cli.terminal.Style;
import drover.rollout.v1.Batch;
import drover.rollout.v1.NodeUpgradeStatus;
import drover.rollout.v1.Rollout;
import drover.rollout.v1.RolloutNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What changed between two looks at a rollout, one line each. Pure. */
public final class RolloutChangeLines {
    private RolloutChangeLines() {}

    /** A rollout and its nodes at one moment. */
    public record Snapshot(Rollout rollout, List<RolloutNode> nodes) {
        /** Before the first look. */
        public static final Snapshot NONE = new Snapshot(Rollout.getDefaultInstance(), List.of());

        public Snapshot {
            nodes = List.copyOf(nodes);
        }
    }

    static List<String> between(Snapshot before, Snapshot now) {
        List<String> lines = new ArrayList<>();
        addBatchChanges(before.rollout(), now.rollout(), lines);
        addNodeChanges(before.nodes(), now.nodes(), lines);
        addProgress(before.rollout(), now.rollout(), lines);
        if (!RolloutStatusRules.statusText(before.rollout())
                .equals(RolloutStatusRules.statusText(now.rollout()))) {
            lines.add(RolloutStatusRules.statusSentence(now.rollout()));
        }
        return lines;
    }

    private static void addBatchChanges(Rollout before, Rollout now, List<String> lines) {
        for (int i = 0; i < now.getBatchesCount(); i++) {
            Batch batch = now.getBatches(i);
            String was =
                    i < before.getBatchesCount()
                            ? EnumNames.of(before.getBatches(i).getPhase())
                            : "";
            String is = EnumNames.of(batch.getPhase());
            boolean news = was.isEmpty() ? !is.equals("pending") : !was.equals(is);
            if (news) {
                lines.add(
                        "batch %d of %d is %s (%d nodes, %d succeeded, %d failed)"
                                .formatted(
                                        i + 1,
                                        now.getBatchesCount(),
                                        is,
                                        batch.getNodes(),
                                        batch.getSucceeded(),
                                        batch.getFailed()));
            }
        }
    }

    private static void addNodeChanges(
            List<RolloutNode> before, List<RolloutNode> now, List<String> lines) {
        Map<String, String> earlier = new HashMap<>();
        before.forEach(node -> earlier.put(node.getNodeId(), statusAndFinding(node)));
        for (RolloutNode node : now) {
            String was = earlier.getOrDefault(node.getNodeId(), "pending");
            String is = statusText(node);
            if (!was.equals(statusAndFinding(node))) {
                String note = Style.sanitize(RolloutPrinter.nodeNote(node));
                lines.add(
                        "node %s is %s%s"
                                .formatted(
                                        Style.sanitize(node.getNodeId()),
                                        is,
                                        note.isEmpty() ? "" : ": " + note));
            }
        }
    }

    /** Not at the first poll, which shows the state itself, nor at the end. */
    private static void addProgress(Rollout before, Rollout now, List<String> lines) {
        boolean first = before.equals(Rollout.getDefaultInstance());
        if (first
                || RolloutStatusRules.isFinal(now)
                || RolloutPrinter.decidedNodes(before) == RolloutPrinter.decidedNodes(now)) {
            return;
        }
        lines.add(RolloutPrinter.progressText(now));
    }

    /** A restored node has the same status whether it is healthy or not; its finding differs. */
    private static String statusAndFinding(RolloutNode node) {
        boolean finding =
                node.getStatus() == NodeUpgradeStatus.NODE_UPGRADE_STATUS_ROLLED_BACK
                        && !node.getErrorMessage().isEmpty();
        return finding ? statusText(node) + " " + node.getReason() : statusText(node);
    }

    private static String statusText(RolloutNode node) {
        String phase = EnumNames.of(node.getUpgradePhase());
        String status = EnumNames.of(node.getStatus());
        return status.matches("upgrading|restoring") && !phase.isEmpty()
                ? status + " (" + phase + ")"
                : status;
    }
}
