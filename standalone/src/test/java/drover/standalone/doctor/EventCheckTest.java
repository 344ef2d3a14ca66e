package drover.standalone.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Timestamp;
import drover.event.v1.EventSink;
import java.util.List;
import org.junit.jupiter.api.Test;

class EventCheckTest {
    @Test
    void namesTheFailingSinkAndTheReason() {
        EventSink healthy = EventSink.newBuilder().setName("nats").build();
        EventSink dead =
                EventSink.newBuilder()
                        .setName("pager")
                        .setLag(7)
                        .setFailingSince(Timestamp.newBuilder().setSeconds(1))
                        .setProblem("It answers 500.")
                        .build();
        assertThat(EventDeliveryCheck.check(List.of(healthy, dead)))
                .containsExactly(
                        DoctorFinding.ok("events", "Events are taken by nats."),
                        DoctorFinding.warn(
                                "events",
                                "Events are kept for pager, which takes none; it is 7 behind."
                                        + " It answers 500."));
        assertThat(EventDeliveryCheck.check(List.of())).isEmpty();
    }

    @Test
    void warnsOfAReceiverThatRejectedEvents() {
        EventSink rejecting = EventSink.newBuilder().setName("pager").setDeadLetters(3).build();
        assertThat(EventDeliveryCheck.check(List.of(rejecting)))
                .containsExactly(
                        DoctorFinding.warn(
                                "events",
                                "pager has dead letters: 3. See 'drover events dead-letters'."));
    }
}
