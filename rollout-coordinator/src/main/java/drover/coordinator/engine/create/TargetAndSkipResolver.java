package drover.coordinator.engine.create;

import drover.coordinator.peers.ManifestServiceLink.RenderedConfigs;
import drover.coordinator.peers.ManifestServiceLink.RenderedFileDigest;
import drover.coordinator.peers.ManifestServiceLink.RenderedNode;
import drover.coordinator.peers.NodeDirectoryLink.DirectoryNode;
import drover.coordinator.peers.NodeDirectoryLink.Program;
import drover.coordinator.plan.batch.BatchPlanner;
import drover.coordinator.plan.batch.BatchPlanner.PlannedBatch;
import drover.coordinator.plan.batch.CanarySeedCalculator;
import drover.coordinator.plan.model.Batch;
import drover.coordinator.plan.model.BatchPhase;
import drover.coordinator.plan.model.NodeState;
import drover.coordinator.plan.model.NodeTarget;
import drover.coordinator.plan.model.NodeUpgrade;
import drover.coordinator.plan.model.RestoreSource;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.RolloutSpec;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.model.SkipReason;
import drover.kit.grpc.Refused;
import drover.model.Digest;
import drover.model.NodeId;
import drover.model.NodePath;
import drover.model.RefusalCode;
import drover.model.RolloutId;
import drover.model.Version;
import drover.model.program.ConfigDigest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Works out, for every node, what it runs, what it shall run, and whether it is left alone from the
 * start.
 */
final class TargetAndSkipResolver {
    private static final Digest NOTHING = Digest.of(""); // stands for a program that is not there

    private final RolloutSpec spec;
    private final Map<NodeId, Integer> positions;
    private final Map<NodeId, NodeTarget> targets = new LinkedHashMap<>();
    private final Map<NodeId, NodeState.Skipped> skipped = new HashMap<>();

    private TargetAndSkipResolver(RolloutSpec spec, Map<NodeId, Integer> positions) {
        this.spec = spec;
        this.positions = Map.copyOf(positions);
    }

    static TargetAndSkipResolver of(
            RolloutSpec spec,
            List<DirectoryNode> nodes,
            Map<NodeId, Integer> positions,
            RenderedConfigs rendered,
            Instant now) {
        TargetAndSkipResolver freezing = new TargetAndSkipResolver(spec, positions);
        Map<NodeId, RenderedNode> byNode = new HashMap<>();
        rendered.nodes().forEach(node -> byNode.put(node.node(), node));
        for (DirectoryNode node : nodes) {
            RenderedNode own = byNode.get(node.id());
            if (own == null) {
                throw new IllegalStateException("Nothing was rendered for node " + node.id());
            }
            freezing.add(node, own, now);
        }
        return freezing;
    }

    private void add(DirectoryNode node, RenderedNode rendered, Instant now) {
        Program program = node.programs().get(spec.binary());
        NodeTarget target = target(node, rendered, program);
        targets.put(node.id(), target);
        findSkipCause(node, program, target)
                .ifPresent(
                        reason ->
                                skipped.put(
                                        node.id(),
                                        new NodeState.Skipped(
                                                reason.reason(), reason.detail(), now)));
    }

    private record SkipCause(SkipReason reason, String detail) {}

    private Optional<SkipCause> findSkipCause(
            DirectoryNode node, @Nullable Program program, NodeTarget target) {
        if (program == null || program.digest().isEmpty()) {
            return Optional.of(
                    new SkipCause(
                            SkipReason.DRIFTED,
                            "It has never reported a program "
                                    + spec.binary()
                                    + ": start it on the node and add it with 'drover agent adopt',"
                                    + " or correct the name."));
        }
        if (!node.runtime().isEmpty() && !spec.acceptsRuntime(node.runtime())) {
            return Optional.of(
                    new SkipCause(
                            SkipReason.WRONG_RUNTIME,
                            "It runs on " + node.runtime() + ", not " + spec.runtime() + "."));
        }
        if (target.artifact(spec).isEmpty()) {
            return Optional.of(new SkipCause(SkipReason.UNSUPPORTED, noArtifactSentence(target)));
        }
        boolean there =
                isTargetDigest(target, target.sourceDigest())
                        && target.sourceConfig().equals(target.targetConfig());
        if (there) {
            return Optional.of(
                    new SkipCause(SkipReason.ALREADY_THERE, "It runs the target already."));
        }
        boolean source =
                spec.sourceVersions().stream()
                        .anyMatch(version -> version.value().equals(program.version()));
        return source
                ? Optional.empty()
                : Optional.of(
                        new SkipCause(
                                SkipReason.DRIFTED,
                                "It runs " + program.version() + ", not the source version."));
    }

    private String noArtifactSentence(NodeTarget target) {
        String listed = String.join(", ", new TreeSet<>(spec.artifacts().keySet()));
        return target.platform().isEmpty()
                ? "Its agent has not said its platform, and there are artifacts of their own for "
                        + listed
                        + "."
                : "There is no artifact for its platform "
                        + target.platform()
                        + ", only for "
                        + listed
                        + ".";
    }

    private boolean isTargetDigest(NodeTarget target, Digest digest) {
        return target.artifact(spec).map(own -> own.digest().equals(digest)).orElse(false);
    }

    private NodeTarget target(
            DirectoryNode node, RenderedNode rendered, @Nullable Program program) {
        Map<NodePath, Digest> files = new TreeMap<>(program == null ? Map.of() : program.files());
        for (RenderedFileDigest file : rendered.files()) {
            files.put(file.path(), file.digest());
        }
        Digest source = parseDigestOrNothing(program == null ? "" : program.digest());
        Digest config = parseDigestOrNothing(program == null ? "" : program.config());
        Digest targetConfig =
                spec.programKind()
                        .expectedConfigDigest(config, ConfigDigest.of(files, rendered.launch()));
        String url = program == null ? "" : program.url();
        boolean changesConfig = !config.equals(targetConfig);
        return new NodeTarget(
                node.id(),
                new Version(program == null ? "unknown" : program.version()),
                source,
                config,
                url,
                targetConfig,
                changesConfig,
                node.platform(),
                RestoreSource.of(node.features(), url, changesConfig),
                positions.getOrDefault(node.id(), 0));
    }

    private static Digest parseDigestOrNothing(String text) {
        return text.isEmpty() ? NOTHING : new Digest(text);
    }

    NodeTarget target(NodeId node) {
        NodeTarget target = targets.get(node);
        if (target == null) {
            throw new IllegalStateException("Node " + node + " is no target");
        }
        return target;
    }

    /**
     * Refuses a rollout that would change no node (seed 000, rule 4; config-only rollouts are
     * rollouts).
     */
    void requireChanges() {
        if (skipped.size() < targets.size()) {
            requireVersionMatchesDigest();
            return;
        }
        boolean allThere =
                skipped.values().stream()
                        .allMatch(node -> node.reason() == SkipReason.ALREADY_THERE);
        if (allThere) {
            throw new Refused(
                    RefusalCode.NOTHING_TO_CHANGE,
                    "Every target runs "
                            + spec.targetVersion()
                            + " with this configuration already.");
        }
        NodeState.Skipped first = skipped.values().iterator().next();
        throw new Refused(
                RefusalCode.NO_TARGETS,
                "None of "
                        + targets.size()
                        + " nodes can be upgraded; for example: "
                        + first.detail()
                        + " Look at 'drover node list'.",
                "source_version");
    }

    /** Two artifacts under one version, or one under two, would make tables lie. */
    private void requireVersionMatchesDigest() {
        for (NodeTarget target : targets.values()) {
            if (skipped.containsKey(target.node())) {
                continue;
            }
            boolean sameName = target.sourceVersion().equals(spec.targetVersion());
            boolean sameBytes = isTargetDigest(target, target.sourceDigest());
            if (sameName && !sameBytes) {
                throw new Refused(
                        RefusalCode.SAME_VERSION,
                        "The target version equals the source version, but the artifact differs; give the new artifact a version of its own.",
                        "target_version");
            }
            if (sameBytes && !sameName) {
                throw new Refused(
                        RefusalCode.INVALID_FIELD,
                        "target_version: the artifact is the one that runs as "
                                + target.sourceVersion()
                                + "; one artifact has one version, so give that one to roll out configuration alone.",
                        "target_version");
            }
        }
    }

    private List<NodeId> pendingNodes() {
        return targets.values().stream()
                .filter(target -> !skipped.containsKey(target.node()))
                .sorted(NodeTarget.ORDER)
                .map(NodeTarget::node)
                .toList();
    }

    /** Chooses the canary; the same targets and the same artifact give the same one. */
    long canarySeed() {
        return CanarySeedCalculator.of(spec, pendingNodes());
    }

    Rollout toRollout(RolloutId id, RolloutState state, long seed, Instant now) {
        List<PlannedBatch> planned =
                BatchPlanner.plan(spec.strategy(), spec.conduct().order(), pendingNodes(), seed);
        List<Batch> batches = new ArrayList<>();
        Map<NodeId, Integer> batchOf = new HashMap<>();
        for (PlannedBatch batch : planned) {
            int index = batches.size();
            batches.add(new Batch(index, batch.canary(), BatchPhase.PENDING, now));
            batch.nodes().forEach(node -> batchOf.put(node, index));
        }
        int last = batches.size() - 1; // where skipped nodes stand: they hold nothing up there
        Map<NodeId, NodeUpgrade> nodes = new LinkedHashMap<>();
        targets.values().stream()
                .sorted(java.util.Comparator.comparing(NodeTarget::node))
                .forEach(
                        target ->
                                nodes.put(
                                        target.node(),
                                        toNodeUpgrade(
                                                target,
                                                batchOf.getOrDefault(target.node(), last),
                                                now)));
        return new Rollout(id, 1, spec, state, 0, 0, batches, nodes);
    }

    private NodeUpgrade toNodeUpgrade(NodeTarget target, int batch, Instant now) {
        NodeState.Skipped skip = skipped.get(target.node());
        return NodeUpgrade.withoutAttempts(
                target, batch, skip == null ? new NodeState.Pending(now) : skip);
    }
}
