package drover.coordinator.plan.explain;

import drover.coordinator.plan.explain.SkipForecast.Skip;
import drover.coordinator.plan.model.Batch;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeTarget;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.Rollout;
import drover.model.Digest;
import drover.model.NodeId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What an approver agrees to with a plan: what is installed and under which conditions, the batch
 * of each node, skipped nodes with their reasons, the rollback tier, and nodes that cannot be
 * restored. Two plans with the same hash agree in all of it. Times that change automatically are
 * not included. Pure.
 *
 * @param tier rollback tier
 * @param terms digest of {@link SpecAndTargetsDigest}; empty in a plan that an earlier version of
 *     Drover made
 * @param batches nodes that are still to be done, each batch in the order of its nodes
 * @param skips why nodes would be left alone
 * @param notRollbackable nodes that nothing could bring back
 */
public record HashedPlan(
        int tier,
        String terms,
        List<BatchNodes> batches,
        Map<String, String> skips,
        List<String> notRollbackable) {
    private static final String TERMS = " terms ";

    public HashedPlan {
        batches = List.copyOf(batches);
        skips = new TreeMap<>(skips);
        notRollbackable = List.copyOf(notRollbackable);
    }

    /** One batch. */
    public record BatchNodes(int index, boolean canary, List<String> nodes) {
        public BatchNodes {
            nodes = List.copyOf(nodes);
        }
    }

    /** The outline of what remains of a rollout; of all of it, before it starts. */
    public static HashedPlan of(Rollout rollout, List<Skip> forecast) {
        List<BatchNodes> parts = new ArrayList<>();
        for (Batch batch : rollout.batches()) {
            List<String> nodes =
                    rollout.nodesInBatch(batch.index())
                            .filter(HashedPlan::mayBeUpgraded)
                            .sorted(NodeUpgrade.ORDER)
                            .map(node -> node.id().value())
                            .toList();
            if (!nodes.isEmpty()) {
                parts.add(new BatchNodes(batch.index(), batch.canary(), nodes));
            }
        }
        Map<String, String> skips = new TreeMap<>();
        forecast.forEach(skip -> skips.put(skip.node().value(), skip.reason().name()));
        List<String> stuck =
                rollout.nodes().values().stream()
                        .filter(NodeUpgrade::isNotRollbackable)
                        .map(NodeUpgrade::id)
                        .sorted(Comparator.naturalOrder())
                        .map(NodeId::value)
                        .toList();
        return new HashedPlan(
                rollout.spec().migration().rollbackTier(), terms(rollout), parts, skips, stuck);
    }

    /** A node that is held now may be released after the start. */
    private static boolean mayBeUpgraded(NodeUpgrade node) {
        return node.state() instanceof NodeState.Pending || node.state() instanceof NodeState.Held;
    }

    private static String terms(Rollout rollout) {
        return SpecAndTargetsDigest.digest(
                        rollout.spec(),
                        rollout.nodes().values().stream()
                                .filter(HashedPlan::mayBeUpgraded)
                                .map(NodeUpgrade::target)
                                .sorted(Comparator.comparing(NodeTarget::node)))
                .value();
    }

    /**
     * Text that is stored and hashed, one fact per line. The terms are in the line of the tier:
     * earlier versions ignore what follows there, but fail on a line that they do not know.
     */
    public String toText() {
        List<String> lines = new ArrayList<>();
        lines.add("tier " + tier + (terms.isEmpty() ? "" : TERMS + terms));
        for (BatchNodes part : batches) {
            lines.add(
                    "batch "
                            + part.index()
                            + (part.canary() ? " canary " : " plain ")
                            + String.join(",", part.nodes()));
        }
        skips.forEach((node, reason) -> lines.add("skip " + node + " " + reason));
        notRollbackable.forEach(node -> lines.add("stuck " + node));
        return String.join("\n", lines);
    }

    /** Its name. */
    public Digest hash() {
        return Digest.of(toText());
    }

    /** Reads what {@link #toText} wrote; empty when there is nothing. */
    public static Optional<HashedPlan> parse(String text) {
        if (text.isEmpty()) {
            return Optional.empty();
        }
        int tier = 0;
        String terms = "";
        List<BatchNodes> batches = new ArrayList<>();
        Map<String, String> skips = new TreeMap<>();
        List<String> stuck = new ArrayList<>();
        for (String line : text.split("\n", -1)) {
            String[] words = line.split(" ", -1);
            switch (words[0]) {
                case "tier" -> {
                    tier = Integer.parseInt(words[1]);
                    terms = words.length > 3 ? words[3] : "";
                }
                case "batch" ->
                        batches.add(
                                new BatchNodes(
                                        Integer.parseInt(words[1]),
                                        words[2].equals("canary"),
                                        List.of(words[3].split(",", -1))));
                case "skip" -> skips.put(words[1], words[2]);
                case "stuck" -> stuck.add(words[1]);
                default -> throw new IllegalStateException("A stored plan has a line " + words[0]);
            }
        }
        return Optional.of(new HashedPlan(tier, terms, batches, skips, stuck));
    }

    /** Differences, one clause for each node in the order of the nodes, then the common ones. */
    public List<String> differencesTo(HashedPlan now) {
        if (terms.isEmpty()) {
            return List.of(
                    "its hash is from an earlier version of Drover and does not cover artifacts,"
                            + " configurations and settings");
        }
        Map<String, Integer> before = batchByNode();
        Map<String, Integer> after = now.batchByNode();
        TreeSet<String> nodes = new TreeSet<>(before.keySet());
        nodes.addAll(after.keySet());
        nodes.addAll(skips.keySet());
        nodes.addAll(now.skips.keySet());
        List<String> differences = new ArrayList<>();
        for (String node : nodes) {
            String was = describeNodePlan(before.get(node), skips.get(node));
            String is = describeNodePlan(after.get(node), now.skips.get(node));
            if (!was.equals(is)) {
                differences.add("node " + node + " was to be " + was + " and is " + is + " now");
            }
        }
        new TreeSet<>(now.notRollbackable)
                .stream()
                        .filter(node -> !notRollbackable.contains(node))
                        .forEach(node -> differences.add("nothing could bring back node " + node));
        if (!terms.equals(now.terms)) {
            differences.add("other artifacts, configurations or settings");
        }
        if (tier != now.tier) {
            differences.add("the way back is of tier " + now.tier + ", not " + tier);
        }
        return List.copyOf(differences);
    }

    private Map<String, Integer> batchByNode() {
        Map<String, Integer> batch = new TreeMap<>();
        batches.forEach(part -> part.nodes().forEach(node -> batch.put(node, part.index() + 1)));
        return batch;
    }

    private static String describeNodePlan(
            @Nullable Integer batch, // null: in none
            @Nullable String skip) { // null: not left alone
        if (skip != null) {
            return "left alone (" + skip + ")";
        }
        return batch == null ? "no target" : "in batch " + batch;
    }
}
