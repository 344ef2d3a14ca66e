package drover.simulation.world;

import drover.coordinator.plan.create.UnvalidatedCreationRequest;
import drover.coordinator.plan.create.UnvalidatedCreationRequest.StrategyName;
import drover.coordinator.plan.group.GroupFailurePolicy;
import drover.coordinator.plan.group.UnvalidatedGroupCreationRequest;
import drover.coordinator.plan.model.ExpectedFailureReasons;
import drover.coordinator.plan.model.FailureAction;
import drover.coordinator.plan.model.NodeOrder;
import drover.coordinator.plan.model.RollbackHealthPolicy;
import drover.coordinator.plan.model.RolloutPolicy;
import drover.model.MigrationType;
import drover.model.NodeId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Rollouts that an operator may think of. The one place that knows every field of a request. */
public final class CreationRequestFactory {
    private static final Duration HEALTH_WAIT = Duration.ofSeconds(10);

    private CreationRequestFactory() {}

    /**
     * What an operator decides.
     *
     * @param batch nodes in a batch
     * @param canary nodes of the canary; 0 but for that strategy
     * @param rollbackOnFailure whether failures bring everything back by themselves
     */
    public record RolloutChoice(
            StrategyName strategy,
            int batch,
            int canary,
            RolloutLimits limits,
            boolean breaking,
            boolean force,
            boolean skipValidation,
            boolean rollbackOnFailure) {
        /** Batch after batch, no failure borne. */
        public static RolloutChoice rolling(int batch) {
            return new RolloutChoice(
                    StrategyName.ROLLING, batch, 0, RolloutLimits.NONE, false, false, false, false);
        }

        /** The same, brought back by itself when too much fails. */
        public RolloutChoice withRollbackOnFailure() {
            return new RolloutChoice(
                    strategy, batch, canary, limits, breaking, force, skipValidation, true);
        }

        /** A canary first. */
        public static RolloutChoice canary(int canary, int batch, boolean breaking) {
            return new RolloutChoice(
                    StrategyName.CANARY,
                    batch,
                    canary,
                    RolloutLimits.NONE,
                    breaking,
                    false,
                    false,
                    false);
        }
    }

    /**
     * What is borne.
     *
     * @param failures of nodes
     * @param percent of failures, instead of a number; 0 when the number counts
     * @param inFlight nodes at work at once; 0 for as many as the product allows by itself
     * @param offline nodes that may be offline
     */
    public record RolloutLimits(int failures, int percent, int inFlight, int offline) {
        static final RolloutLimits NONE = new RolloutLimits(0, 0, 0, 0);
    }

    /**
     * How a rollout treats unhealthy nodes, and in which order it upgrades nodes.
     *
     * @param health gate of its rollback
     * @param unhealthy targets that may be unhealthy
     * @param listed all node ids for the order as-listed; empty for other orders
     */
    public record RolloutConduct(
            RollbackHealthPolicy health, int unhealthy, NodeOrder order, List<String> listed) {
        static final RolloutConduct DEFAULT =
                new RolloutConduct(RollbackHealthPolicy.WAIT, 0, NodeOrder.DEFAULT, List.of());

        public RolloutConduct {
            listed = List.copyOf(listed);
        }
    }

    static RolloutConduct randomConduct(SeededRandom chance, List<NodeId> nodes) {
        int kind = chance.nextInt(4); // half of the rollouts have the default order
        NodeOrder order =
                switch (kind) {
                    case 0 -> new NodeOrder(NodeOrder.Kind.AS_LISTED, "", List.of());
                    case 1 -> NodeOrder.DEFAULT.withLast(List.of(chance.pickOne(nodes)));
                    default -> NodeOrder.DEFAULT;
                };
        return new RolloutConduct(
                chance.pickOne(List.of(RollbackHealthPolicy.values())),
                chance.nextBooleanPercent(30) ? 1 + chance.nextInt(2) : 0,
                order,
                kind == 0 ? nodes.reversed().stream().map(NodeId::value).toList() : List.of());
    }

    static RolloutChoice randomChoice(SeededRandom chance) {
        StrategyName strategy = chance.pickOne(List.of(StrategyName.values()));
        boolean canary = strategy == StrategyName.CANARY;
        boolean atOnce = strategy == StrategyName.ALL_AT_ONCE;
        boolean force = atOnce && chance.nextBooleanPercent(30);
        return new RolloutChoice(
                strategy,
                1 + chance.nextInt(3),
                canary ? 1 + chance.nextInt(2) : 0,
                randomLimits(chance, force),
                canary && chance.nextBooleanPercent(40),
                force,
                atOnce && chance.nextBooleanPercent(30),
                !force && chance.nextBooleanPercent(20));
    }

    /** A component that an operator thinks of. */
    public record ComponentChoice(
            SimulatedProgramDefinition product,
            int target,
            RolloutChoice wish,
            RolloutConduct conduct) {
        /** A component with the default conduct. */
        public ComponentChoice(SimulatedProgramDefinition product, int target, RolloutChoice wish) {
            this(product, target, wish, RolloutConduct.DEFAULT);
        }
    }

    /** The request for a group of these, in this order. */
    public static UnvalidatedGroupCreationRequest groupRequest(
            GroupFailurePolicy policy, List<ComponentChoice> parts) {
        Map<String, String> desired = new TreeMap<>();
        List<UnvalidatedGroupCreationRequest.ComponentCreation> components = new ArrayList<>();
        for (ComponentChoice part : parts) {
            desired.put(
                    part.product().binary().value(),
                    SimulatedProgramDefinition.version(part.target()));
            components.add(
                    new UnvalidatedGroupCreationRequest.ComponentCreation(
                            components.size(),
                            rolloutRequest(
                                    part.wish(),
                                    part.product(),
                                    part.target(),
                                    HEALTH_WAIT,
                                    part.conduct())));
        }
        return new UnvalidatedGroupCreationRequest(
                SimulatedWorld.CHAIN.value(), policy, "", desired, components);
    }

    private static RolloutLimits randomLimits(SeededRandom chance, boolean force) {
        boolean percent = !force && chance.nextBooleanPercent(30);
        return new RolloutLimits(
                percent ? 0 : chance.nextInt(3),
                percent ? 20 + chance.nextInt(40) : 0,
                chance.nextBooleanPercent(40) ? 1 + chance.nextInt(2) : 0,
                chance.nextInt(2));
    }

    /** The request for a version of the program that every node has, from any version. */
    public static UnvalidatedCreationRequest rolloutRequest(RolloutChoice wish, int target) {
        return rolloutRequest(wish, SimulatedProgramDefinition.APP, target);
    }

    static UnvalidatedCreationRequest rolloutRequest(
            RolloutChoice wish, SimulatedProgramDefinition product, int target) {
        return rolloutRequest(wish, product, target, HEALTH_WAIT);
    }

    /** The same with a conduct. */
    static UnvalidatedCreationRequest rolloutRequest(
            RolloutChoice wish,
            SimulatedProgramDefinition product,
            int target,
            RolloutConduct conduct) {
        return rolloutRequest(wish, product, target, HEALTH_WAIT, conduct);
    }

    /** The same with another soak time. */
    public static UnvalidatedCreationRequest rolloutRequest(
            RolloutChoice wish,
            SimulatedProgramDefinition product,
            int target,
            Duration healthWait) {
        return rolloutRequest(wish, product, target, healthWait, RolloutConduct.DEFAULT);
    }

    private static UnvalidatedCreationRequest rolloutRequest(
            RolloutChoice wish,
            SimulatedProgramDefinition product,
            int target,
            Duration healthWait,
            RolloutConduct conduct) {
        List<String> sources =
                SimulatedProgramDefinition.versionNumbers()
                        .mapToObj(SimulatedProgramDefinition::version)
                        .toList();
        return new UnvalidatedCreationRequest(
                SimulatedWorld.CHAIN.value(),
                "",
                "",
                product.binary().value(),
                sources,
                SimulatedProgramDefinition.version(target),
                product.url(target),
                product.digest(target).value(),
                wish.strategy(),
                wish.batch(),
                wish.canary(),
                wish.limits().failures(),
                wish.limits().percent(),
                wish.limits().inFlight(),
                healthWait,
                List.of(
                        new UnvalidatedCreationRequest.TemplatedConfigChange(
                                product.configPath().value(),
                                product.binary() + ".toml",
                                Map.of())),
                wish.breaking() ? MigrationType.BREAKING : MigrationType.NONE,
                wish.breaking() ? "Restore the snapshot." : "",
                wish.breaking(),
                "",
                wish.limits().offline(),
                wish.force(),
                wish.skipValidation(),
                new LinkedHashSet<>(conduct.listed()),
                Set.of(),
                Map.of(),
                new RolloutPolicy(
                        wish.rollbackOnFailure() ? FailureAction.ROLLBACK : FailureAction.PAUSE,
                        null,
                        ExpectedFailureReasons.NONE,
                        conduct.health(),
                        conduct.unhealthy(),
                        conduct.order()));
    }
}
