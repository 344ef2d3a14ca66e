package drover.cli;

import drover.rollout.v1.Batch;
import drover.rollout.v1.Rollout;
import drover.rollout.v1.RolloutNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What changed between two looks at a rollout, one line each. Pure. */
final class ChangeLines {
    private ChangeLines() {}

    /** A rollout and its nodes at one moment. */
    record Look(Rollout rollout, List<RolloutNode> nodes) {
        /** Before the first look. */
        static final Look NONE = new Look(Rollout.getDefaultInstance(), List.of());

        Look {
            nodes = List.copyOf(nodes);
        }
    }

    static List<String> between(Look before, Look now) {
        List<String> lines = new ArrayList<>();
        batches(before.rollout(), now.rollout(), lines);
        nodes(before.nodes(), now.nodes(), lines);
        if (!Statuses.shown(before.rollout()).equals(Statuses.shown(now.rollout()))) {
            lines.add(Statuses.sentence(now.rollout()));
        }
        return lines;
    }

    private static void batches(Rollout before, Rollout now, List<String> lines) {
        for (int i = 0; i < now.getBatchesCount(); i++) {
            Batch batch = now.getBatches(i);
            String was =
                    i < before.getBatchesCount() ? Words.of(before.getBatches(i).getPhase()) : "";
            String is = Words.of(batch.getPhase());
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

    private static void nodes(List<RolloutNode> before, List<RolloutNode> now, List<String> lines) {
        Map<String, String> earlier = new HashMap<>();
        before.forEach(node -> earlier.put(node.getNodeId(), shown(node)));
        for (RolloutNode node : now) {
            String was = earlier.getOrDefault(node.getNodeId(), "pending");
            String is = shown(node);
            if (!was.equals(is)) {
                String note = Style.plain(RolloutTables.note(node));
                lines.add(
                        "node %s is %s%s"
                                .formatted(
                                        Style.plain(node.getNodeId()),
                                        is,
                                        note.isEmpty() ? "" : ": " + note));
            }
        }
    }

    private static String shown(RolloutNode node) {
        String phase = Words.of(node.getUpgradePhase());
        String status = Words.of(node.getStatus());
        return status.matches("upgrading|restoring") && !phase.isEmpty()
                ? status + " (" + phase + ")"
                : status;
    }
}
