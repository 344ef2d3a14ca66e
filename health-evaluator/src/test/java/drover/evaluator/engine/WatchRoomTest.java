package drover.evaluator.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import drover.evaluator.assess.Judgement;
import drover.evaluator.peers.InMemoryHeartbeatFeed;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

final class WatchRoomTest {
    private final AtomicLong nanos = new AtomicLong(-7); // a monotonic clock begins anywhere
    private final List<List<Judgement>> sent = new CopyOnWriteArrayList<>();

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    private void awaitSent(int messages) {
        await().atMost(Duration.ofSeconds(10)).until(() -> sent.size() >= messages);
    }

    @Test
    @DisplayName("F3: an evaluator without news says that it is there, at first and every 5 s")
    void saysThatItIsThere() {
        try (WatchRoom room = new WatchRoom(new InMemoryHeartbeatFeed(), sent::add, nanos::get)) {
            room.open();
            awaitSent(1);
            pass(WatchRoom.BEAT.minusNanos(1));
            room.tick();
            pass(Duration.ofNanos(1));
            room.tick();
            awaitSent(2);
            pass(WatchRoom.BEAT);
            room.tick();
            awaitSent(3);
        }
        assertThat(sent).as("none before its time").hasSize(3).allMatch(List::isEmpty);
    }
}
