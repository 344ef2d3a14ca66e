package drover.standalone.simulation;

import drover.coordinator.store.Commit;
import drover.coordinator.store.HistoryRow;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Blind is not bad (R3, A7): no leader calls a node silent before it has seen everything for long
 * enough.
 */
final class SightRules {
    private final World world;
    private final Safety safety;
    private @Nullable SimulatedCoordinator caller; // null before the first call

    SightRules(World world, Safety safety) {
        this.world = world;
        this.safety = safety;
    }

    void calls(SimulatedCoordinator coordinator) {
        caller = coordinator;
    }

    /** For how long the leader that commits has led, stood upright and had the store. */
    Duration seenFor() {
        SimulatedCoordinator leader = caller;
        return leader == null
                ? Duration.ZERO
                : Duration.ofNanos(world.time.nanos() - leader.sightSinceNanos());
    }

    void committed(Commit commit) {
        long seen = seenFor().toNanos();
        commit.history().stream()
                .filter(SightRules::judgesSilence)
                .forEach(
                        row ->
                                safety.require(
                                        seen >= world.timings.blindGrace().toNanos(),
                                        "R3: node "
                                                + row.node()
                                                + " is "
                                                + row.to()
                                                + " after "
                                                + Duration.ofNanos(seen).toSeconds()
                                                + " s of sight"));
    }

    private static boolean judgesSilence(HistoryRow row) {
        String code = row.because().code();
        return !row.node().isEmpty()
                && (row.to().equals("unreachable")
                        || (row.to().equals("skipped") && code.equals("OFFLINE"))
                        || (row.to().equals("restoring") && code.equals("NOT_WELL_IN_TIME")));
    }
}
