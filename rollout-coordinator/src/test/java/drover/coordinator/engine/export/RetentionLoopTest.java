package drover.coordinator.engine.export;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.plan.RetentionRules.EndedRollout;
import drover.coordinator.store.retention.RetentionStore;
import drover.model.RolloutId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

final class RetentionLoopTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final Duration KEEP = Duration.ofDays(400);
    private static final Instant LONG_AGO = NOW.minus(KEEP).minusSeconds(1);

    private final Shelf shelf = new Shelf();
    private final RetentionLoop loop =
            new RetentionLoop(7, new RetentionLoop.StoreAndRetention(shelf, KEEP), () -> NOW);

    /** A store that has 2,500 rows of whatever goes, and remembers what it was asked. */
    private static final class Shelf implements RetentionStore {
        final List<EndedRollout> ended = new ArrayList<>();
        final List<RolloutId> decided = new ArrayList<>();
        final List<Integer> transactions = new ArrayList<>();
        int left = 2_500;
        int groups = 3;
        boolean stale;

        RolloutId put(boolean latest) {
            RolloutId id = new RolloutId(UUID.randomUUID().toString());
            ended.add(new EndedRollout(id, LONG_AGO, false, latest, 0, 0, 0));
            return id;
        }

        @Override
        public List<EndedRollout> findEndedUnpruned(
                Instant before, @Nullable RolloutId after, int limit) {
            int from =
                    after == null
                            ? 0
                            : 1 + ended.stream().map(EndedRollout::id).toList().indexOf(after);
            return ended.subList(from, Math.min(ended.size(), from + limit));
        }

        @Override
        public PruneDecision markForPruningIfExpired(
                long epoch, RolloutId id, Instant now, Duration keep) {
            if (stale) {
                return PruneDecision.STALE_EPOCH;
            }
            decided.add(id);
            return PruneDecision.GOES;
        }

        @Override
        public List<RolloutId> findMarkedForPruning(int limit) {
            return decided.isEmpty() ? List.of() : decided.subList(0, 1);
        }

        @Override
        public Optional<Integer> deleteRolloutRows(long epoch, RolloutId id, int rows) {
            int deleted = Math.min(rows, left);
            left -= deleted;
            transactions.add(deleted);
            return Optional.of(deleted);
        }

        @Override
        public Optional<Integer> deleteRowsOutsideRollouts(long epoch, Instant before, int rows) {
            assertThat(before).isEqualTo(NOW.minus(KEEP));
            return Optional.of(0);
        }

        @Override
        public Optional<Integer> deleteGroupsAndIncidents(long epoch, Instant before, int rows) {
            assertThat(before).isEqualTo(NOW.minus(KEEP));
            groups--;
            return Optional.of(groups >= 0 ? 1 : 0);
        }
    }

    @Test
    void deletesAThousandRowsAtATimeToTheEnd() throws InterruptedException {
        shelf.put(false);

        assertThat(loop.runRoundUnlessStale()).isTrue();

        assertThat(shelf.transactions).containsExactly(1_000, 1_000, 500, 0);
        assertThat(shelf.groups).as("groups, until none goes").isEqualTo(-1);
    }

    @Test
    @DisplayName("Every ended rollout is judged, however many there are, and few of them go")
    void requestsDeletableRowsOnly() throws InterruptedException {
        List<RolloutId> go = new ArrayList<>();
        for (int i = 0; i < 250; i++) {
            RolloutId id = shelf.put(i % 50 != 0);
            if (i % 50 == 0) {
                go.add(id);
            }
        }

        assertThat(loop.runRoundUnlessStale()).isTrue();

        assertThat(shelf.decided).containsExactlyElementsOf(go);
    }

    @Test
    @DisplayName("B1: ends as soon as another leader has taken over")
    void endsWithItsTerm() throws InterruptedException {
        shelf.put(false);
        shelf.stale = true;

        assertThat(loop.runRoundUnlessStale()).isFalse();
        assertThat(shelf.transactions).isEmpty();
    }
}
