package drover.coordinator.engine.create;

import drover.coordinator.engine.create.RolloutCreator.PreparedRollout;
import drover.coordinator.peers.ManifestServiceLink;
import drover.coordinator.peers.ManifestServiceLink.Warning;
import drover.coordinator.peers.NodeDirectoryLink;
import drover.coordinator.peers.NodeDirectoryLink.UnhealthyNode;
import drover.coordinator.peers.PeerUnavailable;
import drover.coordinator.plan.batch.RollbackOrder;
import drover.coordinator.plan.create.UnvalidatedCreationRequest;
import drover.coordinator.plan.explain.FinishByForecast;
import drover.coordinator.plan.explain.HashedPlan;
import drover.coordinator.plan.explain.NodeWorkEstimate;
import drover.coordinator.plan.explain.RollbackForecast;
import drover.coordinator.plan.explain.RolloutForecast;
import drover.coordinator.plan.explain.SkipForecast.Skip;
import drover.coordinator.plan.model.RollbackHealthPolicy;
import drover.coordinator.plan.model.Rollout;
import drover.coordinator.plan.model.RolloutSpec;
import drover.coordinator.plan.model.RolloutState;
import drover.coordinator.plan.model.SkipReason;
import drover.coordinator.plan.model.Strategy;
import drover.coordinator.plan.observed.NodeView.ProgramHealth.Level;
import drover.coordinator.store.query.PreviewInputViews;
import drover.kit.grpc.Refused;
import drover.model.Digest;
import drover.model.MigrationType;
import drover.model.NodeId;
import drover.model.RefusalCode;
import drover.model.RolloutId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Says what a rollout would do, and what remains of one. Takes the very path of creation up to its
 * transaction, and writes nothing.
 */
public final class RolloutPreviewer {
    private static final int DIFFERENCES_NAMED = 5; // the plan has them all

    private final RolloutCreator creation;
    private final ManifestServiceLink manifests;
    private final PlanFactsReader forecast;
    private final PreviewInputViews facts;
    private final Supplier<Instant> clock;

    /** A preview over the same neighbours as creation. */
    public RolloutPreviewer(
            RolloutCreator creation,
            ManifestServiceLink manifests,
            NodeDirectoryLink directory,
            PreviewInputViews facts,
            Supplier<Instant> clock) {
        this.creation = creation;
        this.manifests = manifests;
        this.forecast = new PlanFactsReader(facts, directory);
        this.facts = facts;
        this.clock = clock;
    }

    /**
     * A plan.
     *
     * @param warnings what deserves a look before it is started
     * @param unhealthy nodes of the chain on which the program is unhealthy, targets or not
     * @param outline what a person agrees to
     */
    public record PlanPreview(
            Rollout rollout,
            RolloutForecast forecast,
            NodeWorkEstimate work,
            List<Skip> skips,
            List<Warning> warnings,
            List<UnhealthyNode> unhealthy,
            HashedPlan outline,
            Instant now) {
        /** Whether it will be done in time; nothing when nobody said by when. */
        public Optional<FinishByForecast> finishByForecast() {
            Instant finishBy = rollout.spec().conduct().finishBy();
            return finishBy == null
                    ? Optional.empty()
                    : Optional.of(
                            FinishByForecast.of(rollout, forecast, work, finishBy, null, now));
        }

        public PlanPreview {
            skips = List.copyOf(skips);
            warnings = List.copyOf(warnings);
            unhealthy = List.copyOf(unhealthy);
        }
    }

    /**
     * Nodes of the chain on which the program of a rollout is unhealthy, targets or not.
     *
     * @param warnings what to check because of them
     */
    public record ChainHealth(
            Rollout rollout, List<UnhealthyNode> unhealthy, List<Warning> warnings) {
        public ChainHealth {
            unhealthy = List.copyOf(unhealthy);
            warnings = List.copyOf(warnings);
        }
    }

    /** The health that a plan of the rollout shows; a warning if no gateway responds. */
    public ChainHealth readChainHealth(Rollout rollout) {
        try {
            List<UnhealthyNode> unhealthy = forecast.findUnhealthyInChain(rollout.spec());
            return new ChainHealth(rollout, unhealthy, healthWarnings(rollout, unhealthy));
        } catch (PeerUnavailable e) {
            Warning warning =
                    new Warning(
                            "HEALTH_UNAVAILABLE",
                            "Unhealthy nodes are not listed, because no gateway responded. Check the"
                                    + " gateways, then list the nodes with 'drover rollout plan "
                                    + rollout.id()
                                    + "'.");
            return new ChainHealth(rollout, List.of(), List.of(warning));
        }
    }

    /** What a creation would lead to; refuses exactly as creation does. */
    public PlanPreview preview(UnvalidatedCreationRequest request) {
        PreparedRollout decided = creation.prepare(request);
        RolloutSpec spec = decided.rollout().spec();
        Optional<RolloutId> owner = facts.findChainOwner(spec.chain());
        if (owner.isPresent()) {
            throw RolloutCreator.chainBusyRefusal(owner.get(), spec.chain());
        }
        return preview(decided.rollout());
    }

    /** What remains of a rollout. */
    public PlanPreview preview(Rollout rollout) {
        RolloutSpec spec = rollout.spec();
        NodeWorkEstimate work = estimateNodeWork(rollout);
        List<Skip> skips = forecast.forecastSkips(rollout);
        List<UnhealthyNode> unhealthy = forecast.findUnhealthyInChain(spec);
        Instant now = clock.get();
        return new PlanPreview(
                rollout,
                RolloutForecast.of(rollout, work, now),
                work,
                skips,
                warnings(rollout, skips, unhealthy),
                unhealthy,
                HashedPlan.of(rollout, skips),
                now);
    }

    /**
     * What a rollback of a rollout would do from now.
     *
     * @throws Refused where the request would be refused whatever the nodes do
     */
    public PlanPreview previewRollback(Rollout rollout, RollbackHealthPolicy health) {
        requireReversible(rollout);
        NodeWorkEstimate work = estimateNodeWork(rollout);
        List<UnhealthyNode> unhealthy = forecast.findUnhealthyInChain(rollout.spec());
        Set<NodeId> ids = unhealthy.stream().map(UnhealthyNode::node).collect(Collectors.toSet());
        List<Skip> skips =
                RollbackForecast.findSkips(
                        rollout,
                        forecast.listOffline(rollout.spec()),
                        forecast.findReservations(rollout));
        Set<NodeId> notRestored = skips.stream().map(Skip::node).collect(Collectors.toSet());
        Instant now = clock.get();
        return new PlanPreview(
                rollout,
                RollbackForecast.of(
                        rollout,
                        health,
                        node -> RollbackOrder.isUnhealthy(node, ids.contains(node.id())),
                        notRestored,
                        work.typical(),
                        now),
                work,
                skips,
                List.of(),
                unhealthy,
                HashedPlan.of(rollout, List.of()),
                now);
    }

    private static void requireReversible(Rollout rollout) {
        switch (rollout.state()) {
            case RolloutState.Pending pending ->
                    throw new Refused(
                            RefusalCode.NOTHING_DONE,
                            "The rollout has modified no node. Cancel it instead.");
            case RolloutState.RolledBack rolledBack ->
                    throw new Refused(RefusalCode.ALREADY, "The rollout is rolled back already.");
            default -> {} // something may have been modified
        }
    }

    /**
     * Refuses a start that requires a plan if the present plan differs. Checked before the request
     * is stored; later changes are evaluated per node when its turn comes.
     */
    public void requirePlanHashIfPending(Rollout rollout, Digest wanted) {
        HashedPlan now = forecast.outline(rollout);
        if (!(rollout.state() instanceof RolloutState.Pending) || now.hash().equals(wanted)) {
            return;
        }
        String different =
                facts.findPlan(rollout.id())
                        .filter(created -> created.hash().equals(wanted))
                        .map(created -> differencesText(created.differencesTo(now)))
                        .orElse(
                                "the hash is neither of the plan at the creation nor of the present one");
        throw new Refused(
                RefusalCode.PLAN_CHANGED,
                "Cannot start: the plan differs from the required one: "
                        + different
                        + ". Check the present plan with 'drover rollout plan "
                        + rollout.id()
                        + "' and start with its hash.",
                "plan_hash");
    }

    private static String differencesText(List<String> all) {
        String some = String.join("; ", all.stream().limit(DIFFERENCES_NAMED).toList());
        int more = all.size() - DIFFERENCES_NAMED;
        return more > 0 ? some + "; and " + more + " more" : some;
    }

    /** How long agents work at one node of a rollout, from earlier upgrades of its program. */
    public NodeWorkEstimate estimateNodeWork(Rollout rollout) {
        return NodeWorkEstimate.of(
                facts.recentUpgradeDurations(rollout.spec().chain(), rollout.spec().binary()));
    }

    /** The time of the plan. */
    public Instant currentTime() {
        return clock.get();
    }

    private List<Warning> warnings(
            Rollout rollout, List<Skip> skips, List<UnhealthyNode> unhealthy) {
        RolloutSpec spec = rollout.spec();
        List<Warning> warnings =
                new ArrayList<>(manifests.fetchWarnings(spec.chain(), spec.upgradeId()));
        long offline = skips.stream().filter(skip -> skip.reason() == SkipReason.OFFLINE).count();
        long unknown =
                unhealthy.stream()
                        .filter(one -> one.level() == Level.UNKNOWN)
                        .filter(one -> rollout.nodes().containsKey(one.node()))
                        .count();
        if (offline + unknown > spec.offlineBudget()) {
            warnings.add(
                    new Warning(
                            "NODES_OFFLINE",
                            "Not connected now: "
                                    + offline
                                    + (unknown == 0 ? "" : ", without health data: " + unknown)
                                    + ", more than the offline budget of "
                                    + spec.offlineBudget()
                                    + "; unless they return, it pauses before its end."));
        }
        warnings.addAll(healthWarnings(rollout, unhealthy));
        warnings.addAll(
                budgetWarnings(
                        spec.offlineBudget(),
                        spec.conduct().unhealthyBudget(),
                        rollout.nodes().size()));
        canaryWarning(spec).ifPresent(warnings::add);
        return warnings;
    }

    /** Seed 000: a canary is recommended for a compatible migration, and not required. */
    private static Optional<Warning> canaryWarning(RolloutSpec spec) {
        return spec.migration() == MigrationType.COMPATIBLE
                        && !(spec.strategy() instanceof Strategy.Canary)
                ? Optional.of(
                        new Warning(
                                "CANARY_RECOMMENDED",
                                "The migration is compatible: a canary is recommended. Use the"
                                        + " strategy canary, or start it as it is."))
                : Optional.empty();
    }

    /** One warning for each budget that is larger than the number of targets. */
    static List<Warning> budgetWarnings(int offline, int unhealthy, int targets) {
        List<Warning> warnings = new ArrayList<>();
        budgetWarning("offline_budget", offline, targets).ifPresent(warnings::add);
        budgetWarning("unhealthy_budget", unhealthy, targets).ifPresent(warnings::add);
        return warnings;
    }

    private static Optional<Warning> budgetWarning(String budget, int nodes, int targets) {
        return nodes <= targets
                ? Optional.empty()
                : Optional.of(
                        new Warning(
                                "BUDGET_TOO_HIGH",
                                budget
                                        + " "
                                        + nodes
                                        + " is more than the number of targets, "
                                        + targets
                                        + ": the rollout never pauses because of it; check the"
                                        + " number."));
    }

    private static List<Warning> healthWarnings(Rollout rollout, List<UnhealthyNode> listed) {
        List<UnhealthyNode> unhealthy =
                listed.stream().filter(one -> one.level() != Level.UNKNOWN).toList();
        List<Warning> warnings = new ArrayList<>();
        long targets =
                unhealthy.stream().filter(one -> rollout.nodes().containsKey(one.node())).count();
        int budget = rollout.spec().conduct().unhealthyBudget();
        if (targets > budget) {
            warnings.add(
                    new Warning(
                            "TARGETS_UNHEALTHY",
                            "Unhealthy targets: "
                                    + targets
                                    + ", more than the unhealthy budget of "
                                    + budget
                                    + "; the start is refused until they are healthy."));
        }
        if (unhealthy.size() > targets) {
            warnings.add(
                    new Warning(
                            "NEIGHBORS_UNHEALTHY",
                            "Other unhealthy nodes of the chain: "
                                    + (unhealthy.size() - targets)
                                    + "; check that the upgrade does not depend on them."));
        }
        return warnings;
    }
}
