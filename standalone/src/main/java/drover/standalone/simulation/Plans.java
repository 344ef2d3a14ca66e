package drover.standalone.simulation;

import drover.coordinator.plan.CreationRequest;
import drover.coordinator.plan.CreationRequest.StrategyName;
import drover.model.MigrationType;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/** Rollouts that an operator may think of. The one place that knows every field of a request. */
public final class Plans {
    private Plans() {}

    /**
     * What an operator decides.
     *
     * @param batch nodes in a batch
     * @param canary nodes of the canary; 0 but for that strategy
     * @param threshold failures that are borne
     */
    public record Wish(
            StrategyName strategy,
            int batch,
            int canary,
            int threshold,
            int offlineBudget,
            boolean breaking,
            boolean force,
            boolean skipValidation) {
        /** Batch after batch, no failure borne. */
        public static Wish rolling(int batch) {
            return new Wish(StrategyName.ROLLING, batch, 0, 0, 0, false, false, false);
        }

        /** A canary first. */
        public static Wish canary(int canary, int batch, boolean breaking) {
            return new Wish(StrategyName.CANARY, batch, canary, 0, 0, breaking, false, false);
        }
    }

    static Wish any(Chance chance) {
        StrategyName strategy = chance.one(List.of(StrategyName.values()));
        boolean canary = strategy == StrategyName.CANARY;
        boolean atOnce = strategy == StrategyName.ALL_AT_ONCE;
        return new Wish(
                strategy,
                1 + chance.nextInt(3),
                canary ? 1 + chance.nextInt(2) : 0,
                chance.nextInt(3),
                chance.nextInt(2),
                canary && chance.percent(40),
                atOnce && chance.percent(30),
                atOnce && chance.percent(30));
    }

    /** The request for a version, from any version. */
    public static CreationRequest request(Wish wish, int target) {
        List<String> sources =
                IntStream.rangeClosed(1, World.RELEASES).mapToObj(Releases::version).toList();
        return new CreationRequest(
                World.CHAIN.value(),
                "",
                "",
                Releases.APP.value(),
                sources,
                Releases.version(target),
                Releases.url(target),
                Releases.digest(target).value(),
                wish.strategy(),
                wish.batch(),
                wish.canary(),
                wish.threshold(),
                0,
                0,
                Duration.ofSeconds(10),
                List.of(new CreationRequest.Change(Releases.CONFIG.value(), "app.toml", Map.of())),
                wish.breaking() ? MigrationType.BREAKING : MigrationType.NONE,
                wish.breaking() ? "Restore the snapshot." : "",
                wish.breaking(),
                "",
                wish.offlineBudget(),
                wish.force(),
                wish.skipValidation(),
                Set.of(),
                Set.of(),
                Map.of());
    }
}
