package drover.coordinator.engine.export;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import drover.coordinator.store.audit.HistoryChecker;
import drover.kit.grpc.Refused;
import drover.model.RefusalCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class AllHistoriesVerifierTest {
    private static final List<String> ROLLOUTS =
            IntStream.range(0, 7).mapToObj(n -> new UUID(0, n).toString()).toList();
    private static final List<String> GROUPS =
            IntStream.range(0, 2).mapToObj(n -> new UUID(1, n).toString()).toList();

    private long nanos;
    private final AllHistoriesVerifier walk = new AllHistoriesVerifier(new Slow(), () -> nanos);

    /** Each check takes a second. */
    private final class Slow implements HistoryChecker {
        @Override
        public Optional<CheckedHistory> checkNext(HistoryKind of, String after) {
            nanos += 1_000_000_000L;
            if (of == HistoryKind.KEYS) {
                return Optional.of(new CheckedHistory(of, "", 1, List.of()));
            }
            List<String> ids = of == HistoryKind.ROLLOUT ? ROLLOUTS : GROUPS;
            int at = after.isEmpty() ? 0 : ids.indexOf(after) + 1;
            return at < ids.size()
                    ? Optional.of(new CheckedHistory(of, ids.get(at), 1, List.of()))
                    : Optional.empty();
        }
    }

    @Test
    void everyHistoryIsCheckedOnceAFewSecondsAtATime() {
        List<String> seen = new ArrayList<>();
        String place = "";
        int calls = 0;
        do {
            long before = nanos;
            AllHistoriesVerifier.Page part = walk.verifyFrom(place);
            part.checked().forEach(history -> seen.add(history.id()));
            assertThat(nanos - before).isLessThanOrEqualTo(4_000_000_000L);
            place = part.next();
            calls++;
        } while (!place.isEmpty());
        assertThat(seen)
                .startsWith(ROLLOUTS.toArray(String[]::new))
                .hasSize(10)
                .endsWith("")
                .doesNotHaveDuplicates();
        assertThat(calls).isBetween(3, 5);
    }

    @ParameterizedTest
    @ValueSource(strings = {"x", ":", "ROLLOUT", "ROLLOUT:x", "NODE:", "'; DROP TABLE history"})
    void aPlaceThatWasNeverGivenIsRefused(String place) {
        assertThatThrownBy(() -> walk.verifyFrom(place))
                .isInstanceOfSatisfying(
                        Refused.class,
                        no -> assertThat(no.code()).isEqualTo(RefusalCode.INVALID_FIELD));
    }
}
