package drover.gateway.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class StatusSlotTest {
    @Test
    void aLaterSequenceReplacesAnEarlierOne() {
        assertThat(status(2, 1).pickLater(status(2, 2))).isEqualTo(status(2, 2));
        assertThat(status(2, 2).pickLater(status(2, 1))).isEqualTo(status(2, 2));
    }

    @Test
    void aHigherAttemptReplacesRegardlessOfItsSequence() {
        assertThat(status(2, 9).pickLater(status(3, 1))).isEqualTo(status(3, 1));
        assertThat(status(3, 1).pickLater(status(2, 9))).isEqualTo(status(3, 1));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    @DisplayName("C9: in any order and however often repeated, the slot ends with the latest")
    void anyOrderEndsWithTheLatest(long seed) {
        Random random = new Random(seed);
        List<LatestStatus> sent = new ArrayList<>();
        for (int i = 0; i < 1 + random.nextInt(20); i++) {
            sent.add(status(1 + random.nextInt(4), 1 + random.nextInt(8)));
        }
        LatestStatus latest =
                Collections.max(
                        sent,
                        Comparator.comparingLong(LatestStatus::attempt)
                                .thenComparingLong(LatestStatus::sequence));
        sent.addAll(List.copyOf(sent));
        Collections.shuffle(sent, random);

        LatestStatus slot = sent.stream().reduce(LatestStatus::pickLater).orElseThrow();

        assertThat(slot).as("seed %d", seed).isEqualTo(latest);
    }

    @Test
    @DisplayName("C10: an acknowledgement frees the slot only of what was committed")
    void onlyWhatIsCommittedIsAcknowledged() {
        assertThat(status(3, 5).withAcknowledgedThrough(3, 5).acknowledged()).isTrue();
        assertThat(status(3, 5).withAcknowledgedThrough(3, 6).acknowledged()).isTrue();
        assertThat(status(3, 5).withAcknowledgedThrough(4, 1).acknowledged()).isTrue();
        assertThat(status(3, 5).withAcknowledgedThrough(3, 4).acknowledged()).isFalse();
        assertThat(status(3, 5).withAcknowledgedThrough(2, 9).acknowledged()).isFalse();
    }

    @Test
    void aRepeatedStatusStaysAcknowledgedAndALaterOneIsNot() {
        LatestStatus acknowledged = status(3, 5).withAcknowledgedThrough(3, 5);

        assertThat(acknowledged.pickLater(status(3, 5)).acknowledged()).isTrue();
        assertThat(acknowledged.pickLater(status(3, 6)).acknowledged()).isFalse();
    }

    static List<Long> seeds() {
        return new Random(43).longs(200).boxed().toList();
    }

    private static LatestStatus status(long attempt, long sequence) {
        return LatestStatus.of(
                attempt, sequence, "session", new TestMessage(attempt + "." + sequence));
    }
}
